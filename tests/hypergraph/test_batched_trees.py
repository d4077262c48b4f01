"""Kernels of first-order projective trees for padded batches, against the generic engine, in both domains."""

import numpy as np
import pytest

from autodiff import check_gradients
from hypergraph import ImpossibleError, WeightError, viterbi
from hypergraph.batched import BatchMarginals, TreeChart, best_trees
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.kernels import eisner_log, eisner_max, eisner_real
from hypergraph.structures import ProjectiveTrees
from oracles import random_weights

LENGTHS = [5, 1, 3]
by_roots = pytest.mark.parametrize("roots", ["any", "one"])


@pytest.fixture(params=["real", "log"])
def domain(request, monkeypatch):
    if request.param == "log":  # let the real domain declare every sentence unsafe
        monkeypatch.setattr(eisner_real, "inside", lambda *arrays: arrays[-1].fill(np.nan))
    return request.param


@by_roots
@pytest.mark.parametrize("impossible", [0.0, 0.3])
def test_equal_to_the_generic_engine(domain, roots, impossible):
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(100):
        trees = ProjectiveTrees(int(rng.integers(1, 8)), roots)
        scores = random_weights(rng, trees.num_weights, impossible=impossible, spread=rng.choice([1.0, 5.0, 50.0]))
        weights = trees.weights(scores.reshape(trees.n + 1, trees.n + 1))
        try:
            generic = InsideOutsideChart.run(trees, weights)
        except ImpossibleError:
            with pytest.raises(ImpossibleError, match="ProjectiveTrees"):
                trees.run(weights)
            continue
        chart, adjoint = trees.run(weights), rng.normal(size=trees.num_weights)
        assert chart.log_partition == pytest.approx(generic.log_partition, rel=1e-12, abs=1e-10)
        np.testing.assert_allclose(chart.weight_marginals, generic.weight_marginals, rtol=0, atol=1e-10)
        np.testing.assert_allclose(chart.backward(adjoint), generic.backward(adjoint), rtol=0, atol=1e-10)
        score, heads = trees.best(weights)
        best = viterbi(trees, weights)
        assert score == pytest.approx(best.score, rel=1e-12)
        np.testing.assert_array_equal(heads, trees.decode(best))
        compared += 1
    assert compared >= 50


@by_roots
@pytest.mark.parametrize("filling", [0.0, 900.0, -np.inf])
def test_a_batch_is_each_alone_and_padding_is_not_read(domain, roots, filling):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(3, 6, 6))
    for b, n in enumerate(LENGTHS):
        scores[b, n + 1 :] = filling
        scores[b, :, n + 1 :] = filling
    adjoint = rng.normal(size=scores.shape)
    chart = TreeChart.run(scores, LENGTHS, roots=roots)
    (marginals,), (backward,) = chart.marginals, chart.backward(adjoint)
    best, heads = best_trees(scores, LENGTHS, roots=roots)
    for b, n in enumerate(LENGTHS):
        inner = np.s_[b : b + 1, : n + 1, : n + 1]
        alone = TreeChart.run(scores[inner], roots=roots)
        assert chart.log_partitions[b] == pytest.approx(alone.log_partitions[0], rel=1e-13)
        for values, alone_values in ((marginals, alone.marginals[0]), (backward, alone.backward(adjoint[inner])[0])):
            expected = np.zeros((6, 6))
            expected[: n + 1, : n + 1] = alone_values[0]
            np.testing.assert_allclose(values[b], expected, rtol=0, atol=1e-12)
        alone_best, alone_heads = best_trees(scores[inner], roots=roots)
        assert best[b] == pytest.approx(alone_best[0])
        assert heads[b].tolist() == [*alone_heads[0].tolist(), *[-1] * (5 - n)]


@by_roots
@pytest.mark.parametrize("impossible", [0.0, 0.15])
def test_gradients(domain, roots, impossible):
    scores = random_weights(np.random.default_rng(2), 108, impossible=impossible).reshape(3, 6, 6)
    module = BatchMarginals(lambda scores: TreeChart.run(scores, LENGTHS, roots=roots))
    check_gradients(module, scores).raise_if_failed()


@by_roots
def test_log_weights_of_a_thousand(roots):
    rng = np.random.default_rng(3)
    for _ in range(20):
        scores = rng.uniform(-1000, 1000, size=(3, 6, 6))
        chart = TreeChart.run(scores, LENGTHS, roots=roots)
        assert np.isfinite(chart.log_partitions).all()
        for b, n in enumerate(LENGTHS):
            np.testing.assert_allclose(chart.marginals[0][b].sum(axis=0)[1 : n + 1], 1.0, rtol=0, atol=1e-9)
        assert np.isfinite(chart.backward(rng.normal(size=scores.shape))[0]).all()
        again = TreeChart.run(scores + rng.uniform(-1000, 1000, size=(3, 1, 6)), LENGTHS, roots=roots)
        np.testing.assert_allclose(again.marginals[0], chart.marginals[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("run", [TreeChart.run, best_trees])
def test_errors_name_what_is_wrong(run):
    scores = np.zeros((3, 4, 4))
    scores[1, :, 3] = -np.inf
    with pytest.raises(ImpossibleError, match="sentence 1 of the batch"):
        run(scores)
    run(scores, [3, 2, 3])  # there it is padding
    with pytest.raises(WeightError, match="3 axes"):
        run(scores[0])
    with pytest.raises(WeightError, match="lengths"):
        run(scores, [4, 2, 3])
    scores[2, 0, 1] = np.nan
    with pytest.raises(WeightError, match=r"scores\[2, 0, 1\] is nan"):
        run(scores)


def test_one_signature_per_kernel():
    scores = np.random.default_rng(4).normal(size=(2, 5, 5))
    frozen = scores.copy()
    frozen.flags.writeable = False
    lengths = np.array([4, 3], dtype=np.int32)
    views = (scores, frozen, np.asfortranarray(scores), scores[:, ::-1], scores.astype(np.float32), scores * 2000)
    for values in views:
        for roots in ("any", "one"):
            chart = TreeChart.run(values, lengths, roots=roots)
            chart.backward(np.ones(scores.shape, dtype=np.float32)[:, ::-1])
            best_trees(values, lengths, roots=roots)
    for module, names in (
        (eisner_real, ("inside", "outside", "backward")),
        (eisner_log, ("inside", "outside", "backward")),
        (eisner_max, ("best",)),
    ):
        assert [len(getattr(module, name).signatures) for name in names] == [1] * len(names)

"""Non-projective trees of a padded batch."""

import numpy as np
import pytest

from autodiff import check_gradients
from hypergraph import ImpossibleError, WeightError
from hypergraph.batched import BatchMarginals, NonprojectiveTreeChart, best_nonprojective_trees
from hypergraph.structures import NonprojectiveTrees

LENGTHS = [5, 1, 3, 5]
by_roots = pytest.mark.parametrize("roots", ["any", "one"])


@by_roots
@pytest.mark.parametrize("filling", [0.0, 900.0, -np.inf])
@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_a_batch_is_each_alone_and_padding_is_not_read(roots, filling, scale):
    rng = np.random.default_rng(1)
    scores = scale * rng.normal(size=(4, 6, 6))
    for b, n in enumerate(LENGTHS):
        scores[b, n + 1 :] = filling
        scores[b, :, n + 1 :] = filling
    adjoint, scales = rng.normal(size=scores.shape), rng.normal(size=4)
    chart = NonprojectiveTreeChart.run(scores, LENGTHS, roots=roots)
    (marginals,) = chart.marginals
    (back,) = chart.backward(adjoint)
    (of_totals,) = chart.log_partitions_backward(scales)
    best, heads = best_nonprojective_trees(scores, LENGTHS, roots=roots)
    for b, n in enumerate(LENGTHS):
        trees, inner = NonprojectiveTrees(n, roots), (b, slice(n + 1), slice(n + 1))
        alone = trees.run(scores[inner].copy())
        assert chart.log_partitions[b] == pytest.approx(alone.log_partition, rel=1e-13)
        for found, expected in (
            (marginals, alone.weight_marginals),
            (back, alone.backward(adjoint[inner].ravel())),
            (of_totals, scales[b] * alone.weight_marginals),
        ):
            np.testing.assert_allclose(found[inner].ravel(), expected, rtol=1e-12, atol=1e-12)
            outside = np.ones((6, 6), dtype=bool)
            outside[inner[1:]] = False
            assert (found[b][outside] == 0.0).all()
        score, own = trees.best(scores[inner].copy())
        assert best[b] == score
        np.testing.assert_array_equal(heads[b, : n + 1], own)
        assert (heads[b, n + 1 :] == -1).all()


@by_roots
@pytest.mark.parametrize("impossible", [0.0, 0.3])
def test_gradients(roots, impossible):
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(4, 6, 6))
    scores[rng.random(scores.shape) < impossible] = -np.inf
    scores[:, np.arange(5), np.arange(1, 6)] = 0.5
    module = BatchMarginals(lambda scores: NonprojectiveTreeChart.run(scores, LENGTHS, roots=roots))
    check_gradients(module, scores).raise_if_failed()


def test_refused():
    scores = np.zeros((3, 4, 4))
    scores[1, :, 2] = -np.inf
    for ask in (NonprojectiveTreeChart.run, best_nonprojective_trees):
        with pytest.raises(ImpossibleError, match=r"sentence 1 of the batch has no tree .* \(1 such"):
            ask(scores)
        ask(scores, [3, 1, 3])
        with pytest.raises(WeightError, match=r"\(batch, N, N\)"):
            ask(scores[:, :2])
        with pytest.raises(ValueError, match="roots is 'any' or 'one', not 'two'"):
            ask(scores, roots="two")
        with pytest.raises(WeightError, match="lengths"):
            ask(scores, [4, 1, 1])
        spoilt = scores.copy()
        spoilt[2, 0, 1] = np.nan
        with pytest.raises(WeightError, match=r"scores\[2, 0, 1\] is nan"):
            ask(spoilt)

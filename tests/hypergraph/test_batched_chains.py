"""Kernels of linear chains for padded batches, against the generic engine, in the real and in the log domain."""

import numpy as np
import pytest

from autodiff import check_gradients
from hypergraph import ImpossibleError, WeightError, viterbi
from hypergraph.batched import BatchMarginals, ChainChart, best_chains
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.kernels import chain_log, chain_max, chain_real
from hypergraph.structures import LinearChain
from oracles import random_weights

BATCH, LENGTH, STATES = 3, 5, 4
LENGTHS = [5, 1, 3]
SHAPES = [
    (STATES, STATES),
    (1, STATES, STATES),
    (LENGTH - 1, STATES, STATES),
    (1, 1, STATES, STATES),
    (1, LENGTH - 1, STATES, STATES),
    (BATCH, 1, STATES, STATES),
    (BATCH, LENGTH - 1, STATES, STATES),
]
by_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


@pytest.fixture(params=["real", "log"])
def domain(request, monkeypatch):
    if request.param == "log":  # let the real domain declare every sequence unsafe
        monkeypatch.setattr(chain_real, "inside", lambda *arrays: arrays[-1].fill(np.nan))
    return request.param


def draw(rng, shape, impossible=0.0, spread=2.0):
    unary = random_weights(rng, BATCH * LENGTH * STATES, impossible=impossible, spread=spread)
    pairs = random_weights(rng, int(np.prod(shape)), impossible=impossible, spread=spread)
    return unary.reshape(BATCH, LENGTH, STATES), pairs.reshape(shape)


@pytest.mark.parametrize("impossible", [0.0, 0.3])
def test_equal_to_the_generic_engine(domain, impossible):
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(150):
        chain = LinearChain(int(rng.integers(1, 7)), int(rng.integers(1, 5)), bool(rng.integers(2)))
        spread = rng.choice([1.0, 5.0, 50.0])
        weights = random_weights(rng, chain.num_weights, impossible=impossible, spread=spread)
        try:
            generic = InsideOutsideChart.run(chain, weights)
        except ImpossibleError:
            with pytest.raises(ImpossibleError, match="LinearChain"):
                chain.run(weights)
            with pytest.raises(ImpossibleError, match="LinearChain"):
                chain.best(weights)
            continue
        chart, adjoint = chain.run(weights), rng.normal(size=weights.shape)
        assert chart.log_partition == pytest.approx(generic.log_partition, rel=1e-12, abs=1e-10)
        np.testing.assert_allclose(chart.weight_marginals, generic.weight_marginals, rtol=0, atol=1e-10)
        np.testing.assert_allclose(chart.backward(adjoint), generic.backward(adjoint), rtol=0, atol=1e-10)
        score, states = chain.best(weights)
        best = viterbi(chain, weights)
        assert score == pytest.approx(best.score, rel=1e-12)
        np.testing.assert_array_equal(states, chain.decode(best))
        compared += 1
    assert compared >= 75


@by_shape
def test_a_batch_is_each_alone_and_padding_is_not_read(domain, shape):
    rng = np.random.default_rng(1)
    unary, pairs = draw(rng, shape)
    everywhere = np.broadcast_to(pairs, (BATCH, LENGTH - 1, STATES, STATES))
    adjoint = rng.normal(size=unary.shape)
    of_pairs = rng.normal(size=shape)
    of_everywhere = np.broadcast_to(of_pairs, everywhere.shape)
    summed, moved = np.zeros(everywhere.shape), np.zeros(everywhere.shape)
    for b, length in enumerate(LENGTHS):
        alone = ChainChart.run(unary[b : b + 1, :length], everywhere[b, : length - 1])
        states, summed[b, : length - 1] = alone.marginals
        backward, moved[b, : length - 1] = alone.backward(adjoint[b : b + 1, :length], of_everywhere[b, : length - 1])
        for filling in (0.0, 900.0, -np.inf):
            padded = unary.copy()
            padded[b, length:] = filling
            if shape[0] == BATCH and len(shape) == 4 and shape[1] > 1:
                pairs[b, length - 1 :] = filling
            chart = ChainChart.run(padded, pairs, LENGTHS)
            assert chart.log_partitions[b] == pytest.approx(alone.log_partitions[0], rel=1e-13)
            np.testing.assert_allclose(chart.marginals[0][b, :length], states[0], rtol=0, atol=1e-13)
            assert (chart.marginals[0][b, length:] == 0).all()
            got, _ = chart.backward(adjoint, of_pairs)
            np.testing.assert_allclose(got[b, :length], backward[0], rtol=0, atol=1e-12)
            assert (got[b, length:] == 0).all()
            scores, best = best_chains(padded, pairs, LENGTHS)
            alone_score, alone_best = best_chains(unary[b : b + 1, :length], everywhere[b, : length - 1])
            assert scores[b] == pytest.approx(alone_score[0])
            assert best[b].tolist() == [*alone_best[0].tolist(), *[-1] * (LENGTH - length)]
    chart = ChainChart.run(unary, pairs, LENGTHS)
    np.testing.assert_allclose(chart.marginals[1], reduce_to(summed, shape), rtol=0, atol=1e-12)
    np.testing.assert_allclose(chart.backward(adjoint, of_pairs)[1], reduce_to(moved, shape), rtol=0, atol=1e-11)


def reduce_to(values, shape):
    """Return the sum over the axes that an array of `shape` lacks or has only once."""
    full = (1,) * (values.ndim - len(shape)) + tuple(shape)
    axes = tuple(axis for axis, size in enumerate(full) if size == 1)
    return values.sum(axis=axes, keepdims=True).reshape(shape)


@by_shape
@pytest.mark.parametrize("impossible", [0.0, 0.15])
def test_gradients(domain, shape, impossible):
    unary, pairs = draw(np.random.default_rng(4), shape, impossible)
    module = BatchMarginals(lambda *potentials: ChainChart.run(*potentials, LENGTHS))
    check_gradients(module, unary, pairs).raise_if_failed()


@by_shape
def test_the_adjoint_of_each_log_partition_counts_only_its_sequence(shape):
    unary, pairs = draw(np.random.default_rng(3), shape)
    chart = ChainChart.run(unary, pairs, LENGTHS)
    scales = np.array([2.0, 0.0, -1.0])
    step = 1e-5
    direction = np.random.default_rng(0).normal(size=shape)
    _, adjoint = chart.log_partitions_backward(scales)
    ends = [ChainChart.run(unary, pairs + sign * step * direction, LENGTHS).log_partitions @ scales for sign in (1, -1)]
    assert (adjoint * direction).sum() == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-7, abs=1e-9)


def test_real_and_log_kernels_agree_on_long_chains(monkeypatch):
    rng = np.random.default_rng(5)
    unary, pairs = rng.normal(scale=3, size=(2, 300, 7)), rng.normal(scale=3, size=(7, 7))
    pairs[rng.random(pairs.shape) < 0.2] = -np.inf
    adjoints = rng.normal(size=unary.shape), rng.normal(size=pairs.shape)
    real = ChainChart.run(unary, pairs, [300, 211])
    assert len(real._unsafe) == 0
    real_parts = [real.log_partitions, *real.marginals, *real.backward(*adjoints)]
    monkeypatch.setattr(chain_real, "inside", lambda *arrays: arrays[-1].fill(np.nan))
    log = ChainChart.run(unary, pairs, [300, 211])
    assert len(log._unsafe) == 2
    for one, other in zip(real_parts, [log.log_partitions, *log.marginals, *log.backward(*adjoints)], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-9)


def test_a_state_is_not_lost_to_underflow():
    """State 1 falls to e^-1500 of state 0, and is then the only one that can go on."""
    unary = np.zeros((2, 301, 2))
    unary[:, :, 1] = -5.0
    unary[:, -1] = -np.inf, 0.0
    unary[1, 99] = -np.inf, 0.0
    stay = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    chart = ChainChart.run(unary, stay, [301, 100])
    np.testing.assert_allclose(chart.log_partitions, [-1500.0, -495.0], rtol=1e-13)
    np.testing.assert_array_equal(chart.marginals[0][0], np.tile([0.0, 1.0], (301, 1)))
    assert chart._unsafe.tolist() == [0]


@pytest.mark.parametrize(("steps", "fall"), [(300, -5.0), (300, -3.0), (1, -800.0)])
def test_a_state_that_falls_behind_may_win_in_the_end(steps, fall):
    """State 1 falls below the range of floating point, in small steps or at once; then state 0 falls even further."""
    unary = np.zeros((1, steps + 25, 2))
    unary[:, :steps, 1] = fall
    unary[:, steps:, 0] = -100.0
    stay = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    chart = ChainChart.run(unary, stay)
    np.testing.assert_allclose(chart.log_partitions, [fall * steps], rtol=1e-13)
    np.testing.assert_allclose(chart.marginals[0][0], np.tile([0.0, 1.0], (steps + 25, 1)), rtol=0, atol=1e-15)


@pytest.mark.parametrize("shape", [(STATES, STATES), (BATCH, LENGTH - 1, STATES, STATES)], ids=str)
def test_log_weights_of_a_thousand(shape):
    rng = np.random.default_rng(6)
    for _ in range(20):
        unary, pairs = rng.uniform(-1000, 1000, size=(BATCH, LENGTH, STATES)), rng.uniform(-1000, 1000, size=shape)
        chart = ChainChart.run(unary, pairs, LENGTHS)
        states, transitions = chart.marginals
        assert np.isfinite(chart.log_partitions).all()
        for b, length in enumerate(LENGTHS):
            np.testing.assert_allclose(states[b, :length].sum(axis=1), 1.0, rtol=0, atol=1e-12)
        assert transitions.sum() == pytest.approx(sum(LENGTHS) - BATCH)
        assert all(np.isfinite(a).all() for a in chart.backward(np.ones_like(states), rng.normal(size=shape)))
        shifted = unary + rng.uniform(-1000, 1000, size=(BATCH, LENGTH, 1))
        again = ChainChart.run(shifted, pairs + 1000, LENGTHS)
        for one, other in zip(chart.marginals, again.marginals, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


@pytest.mark.parametrize("run", [ChainChart.run, best_chains])
def test_errors_name_what_is_wrong(run):
    unary, pairs = np.zeros((3, 4, 2)), np.zeros((2, 2))
    unary[1, 2] = -np.inf
    with pytest.raises(ImpossibleError, match="sequence 1 of the batch"):
        run(unary, pairs)
    run(unary, pairs, lengths=[4, 2, 4])  # there it is padding
    with pytest.raises(ImpossibleError, match="sequence 0 of the batch"):
        run(unary, np.full((2, 2), -np.inf))
    run(unary, np.full((2, 2), -np.inf), lengths=[1, 1, 1])
    for bad in (np.zeros((2, 3)), np.zeros((3, 3)), np.zeros((2, 2, 2)), np.zeros((2, 1, 2, 2)), np.zeros(4)):
        with pytest.raises(WeightError, match="transitions"):
            run(unary, bad)
    with pytest.raises(WeightError, match=r"transitions\[0, 0, 1, 0\] is nan"):
        run(unary, np.array([[0, 0], [np.nan, 0]]))
    with pytest.raises(WeightError, match="lengths"):
        run(unary, pairs, lengths=[5, 1, 1])


def test_ties_go_to_the_first_state():
    scores, states = best_chains(np.zeros((1, 4, 3)), np.zeros((3, 3)))
    assert scores.tolist() == [0.0]
    assert states.tolist() == [[0, 0, 0, 0]]


def test_an_empty_batch():
    chart = ChainChart.run(np.zeros((0, 4, 3)), np.zeros((3, 3)))
    assert chart.log_partitions.shape == (0,)
    assert (chart.marginals[1] == 0).all()
    assert chart.backward(None, np.ones((3, 3)))[1].shape == (3, 3)


def test_one_signature_per_kernel():
    rng = np.random.default_rng(0)
    unary, pairs = rng.normal(size=(2, 4, 3)), rng.normal(size=(3, 3))
    frozen = unary.copy()
    frozen.flags.writeable = False
    lengths = np.array([4, 3], dtype=np.int32)
    for u in (unary, frozen, np.asfortranarray(unary), unary[:, ::-1], unary.astype(np.float32), unary * 2000):
        for p in (pairs, pairs.T, pairs.astype(np.float32), np.broadcast_to(pairs, (2, 3, 3, 3))):
            chart = ChainChart.run(u, p, lengths)
            chart.backward(np.ones(u.shape, dtype=np.float32)[:, ::-1], None)
            best_chains(u, p, lengths)
    for module, names in (
        (chain_real, ("inside", "outside", "backward")),
        (chain_log, ("inside", "outside", "backward")),
        (chain_max, ("best",)),
    ):
        assert [len(getattr(module, name).signatures) for name in names] == [1] * len(names)

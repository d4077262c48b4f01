"""The real-domain kernels themselves: alive, right up to the edge of what is safe, and left to logs beyond."""

import numpy as np
import pytest

from hypergraph import kernels
from hypergraph.batched import BinaryRules, ChainChart, ContextFreeChart, TreeChart
from hypergraph.kernels import chain_log, chain_real, cky_log, eisner_log, eisner_real

RULES = BinaryRules(3, parent=[0, 1, 2, 0], left=[1, 1, 1, 2], right=[2, 0, 2, 2])


def _charts(rng):
    yield TreeChart.run(rng.normal(size=(3, 7, 7)), [6, 4, 1])
    yield TreeChart.run(rng.normal(size=(3, 7, 7)), [6, 4, 1], roots="one")
    yield ChainChart.run(rng.normal(size=(3, 6, 4)), rng.normal(size=(5, 4, 4)), [6, 3, 1])
    lexical = rng.normal(size=(3, 6, 3))
    yield ContextFreeChart.run(RULES, rng.normal(size=3), rng.normal(size=4), lexical, [6, 4, 2])


def test_ordinary_weights_never_reach_the_log_domain(monkeypatch):
    def fail(*_):
        raise AssertionError("the log domain was used")

    for module in (eisner_log, chain_log, cky_log):
        for name in ("inside", "outside", "backward"):
            monkeypatch.setattr(module, name, fail)
    rng = np.random.default_rng(0)
    for _ in range(5):
        for chart in _charts(rng):
            assert len(chart._unsafe) == 0
            chart.backward(*(rng.normal(size=marginal.shape) for marginal in chart.marginals))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("first", [0, 1])
def test_trees_agree_with_the_log_domain_kernel_by_kernel(n, first):
    rng = np.random.default_rng(n)
    scores, lengths = rng.normal(size=(1, n + 2, n + 2)), np.array([n])  # a row and a column of padding
    real = np.zeros((1, eisner_real.NUM_CHARTS, n + 2, n + 2))
    log = np.empty((1, eisner_log.NUM_CHARTS, n + 2, n + 2))
    totals, expected = np.empty(1), np.empty(1)
    eisner_real.inside(scores, lengths, first, real, totals)
    eisner_log.inside(scores, lengths, first, log, expected)
    np.testing.assert_allclose(totals, expected, atol=1e-12)
    found, right = np.zeros_like(scores), np.zeros_like(scores)
    eisner_real.outside(lengths, first, real, found)
    eisner_log.outside(scores, lengths, first, log, expected, right)
    np.testing.assert_allclose(found, right, atol=1e-12)
    direction = rng.normal(size=scores.shape)
    adjoint, slow = np.zeros_like(scores), np.zeros_like(scores)
    eisner_real.backward(lengths, first, real, found, direction, adjoint)
    eisner_log.backward(scores, lengths, first, log, expected, direction, slow)
    np.testing.assert_allclose(adjoint, slow, atol=1e-12)


def _mutual(gap):
    """Two words that would each rather be the other's head: the root's arcs are e^-gap of the best."""
    scores = np.zeros((1, 3, 3))
    scores[0, 0, 1:] = -gap
    return scores


def test_trees_switch_where_the_total_gets_too_small():
    edge = -np.log(eisner_real.SMALLEST_TOTAL)
    for gap in (edge - 8.0, edge + 8.0):
        totals, charts = np.empty(1), np.zeros((1, eisner_real.NUM_CHARTS, 3, 3))
        eisner_real.inside(_mutual(gap), np.array([2]), 0, charts, totals)
        assert np.isnan(totals[0]) == (gap > edge)
        total, shift = eisner_real.fill(_mutual(gap)[0], 2, 0, np.zeros(charts.shape[1:]), np.zeros((3, 3)))
        assert (total == 0.0) == (gap > edge)
        exact = np.logaddexp(np.log(2.0) - gap, -2 * gap)  # 0 → 1 → 2, 0 → 2 → 1; 0 → 1 and 0 → 2
        if gap < edge:
            assert totals[0] == pytest.approx(exact, rel=1e-14)
            assert np.log(total) + shift == pytest.approx(exact, rel=1e-14)
        chart = TreeChart.run(_mutual(gap))
        assert list(chart._unsafe) == ([0] if gap > edge else [])
        assert chart.log_partitions[0] == pytest.approx(exact, rel=1e-14)
        np.testing.assert_allclose(chart.marginals[0][0, 0, 1:], 0.5, atol=1e-12)


def _chain(unary, transitions=((0.0, 0.0), (0.0, 0.0))):
    unary, pairs = np.array([unary], dtype=float), np.array([[transitions]], dtype=float)
    room = np.empty_like(pairs), np.empty_like(unary), np.empty_like(unary), np.empty(unary.shape[:2])
    totals = np.empty(1)
    chain_real.inside(unary, pairs, np.array([unary.shape[1]]), *room, totals)
    return totals[0], ChainChart.run(unary, pairs[0, 0])


@pytest.mark.parametrize("steps", [1, 2])
def test_chains_switch_where_the_range_gets_too_wide(steps):
    widest = chain_real.WIDEST_RANGE
    for span, safe in ((widest, True), (np.nextafter(widest, np.inf), False)):
        total, chart = _chain([[0.0, -span]] + [[0.0, 0.0]] * (steps - 1))
        assert np.isfinite(total) == safe
        assert list(chart._unsafe) == ([] if safe else [0])
        assert chart.log_partitions[0] == pytest.approx(np.log(2.0) * (steps - 1), abs=1e-12)
        np.testing.assert_allclose(chart.marginals[0][0, 0], [1.0, np.exp(-span)], rtol=1e-12)


def test_the_range_of_a_step_is_that_of_both_its_weights():
    half = chain_real.WIDEST_RANGE / 2
    inside, _ = _chain([[0.0, 0.0], [0.0, -half]], [[0.0, -half], [0.0, 0.0]])
    beyond, chart = _chain([[0.0, 0.0], [0.0, -half]], [[0.0, -half - 1.0], [0.0, 0.0]])
    assert np.isfinite(inside)
    assert np.isnan(beyond)
    assert len(chart._unsafe) == 1


def test_chains_switch_where_a_possible_state_gets_too_small():
    decades = -np.log10(chain_real.SMALLEST_ALPHA)
    for steps, safe in ((4, True), (5, False)):  # the second state loses 50 decades a step
        unary = [[0.0, -50 * np.log(10.0)]] * steps
        assert (50 * steps < decades) == safe
        total, chart = _chain(unary, [[0.0, -np.inf], [-np.inf, 0.0]])
        assert np.isfinite(total) == safe
        assert list(chart._unsafe) == ([] if safe else [0])
        assert chart.log_partitions[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("drop", [5.0, 100.0, 160.0, 230.0, 400.0, 800.0])
def test_context_free_trees_are_right_on_both_sides_of_the_switch(drop):
    rng = np.random.default_rng(0)
    lexical = rng.normal(size=(2, 5, 3))
    lexical[1, :, 0] -= drop
    lexical[1, ::2, 1] -= drop
    roots, rules = rng.normal(size=3), rng.normal(size=4)
    chart = ContextFreeChart.run(RULES, roots, rules, lexical, [5, 5])
    log, totals = np.empty((2, 3, 6, 5)), np.empty(2)
    arrays = RULES.pairs, RULES.first_rule, RULES.parents
    kernels.cky_log.inside(roots[None], rules[None, RULES.order], lexical, np.array([5, 5]), *arrays, log, totals)
    np.testing.assert_allclose(chart.log_partitions, totals, rtol=1e-12)
    before = chart.marginals[2].copy()
    assert 0 not in chart._unsafe
    chart.backward(None, None, rng.normal(size=lexical.shape))
    np.testing.assert_array_equal(chart._potentials.lengths, [5, 5])  # not those in which the unsafe are passed over
    np.testing.assert_array_equal(chart.marginals[2], before)
    np.testing.assert_allclose(before.sum(axis=2), 1.0, atol=1e-9)


def test_a_symbol_without_weight_leaves_the_real_domain_sound():
    chart = ContextFreeChart.run(RULES, [0.0, -np.inf, -np.inf], np.zeros(4), np.zeros((1, 3, 3)))
    assert len(chart._unsafe) == 0
    impossible = np.zeros((1, 2, 3))
    impossible[0, 0] = -np.inf
    with pytest.raises(Exception, match="sentence 0 of the batch has no tree"):
        ContextFreeChart.run(RULES, np.zeros(3), np.zeros(4), impossible)

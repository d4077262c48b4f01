"""A node that occurs twice among the tails of one edge is derived twice, independently."""

import numpy as np
import pytest

from hypergraph import (
    HypergraphBuilder,
    edge_marginals,
    entropy,
    inside,
    kbest,
    log_partition,
    marginals,
    node_marginals,
    outside,
    sample,
    viterbi,
)
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.semirings import Real

A, B = 0.75, 2.0
WEIGHTS = np.log([A, B])


@pytest.fixture
def pair():
    """goal ← x x, where x is a or b: (a + b)²."""
    builder = HypergraphBuilder()
    builder.edge("x", weight="a")
    builder.edge("x", weight="b")
    builder.edge("goal", ["x", "x"])
    return builder.build("goal")


def test_inside_and_outside(pair):
    assert log_partition(pair, WEIGHTS) == pytest.approx(2 * np.log(A + B))
    np.testing.assert_allclose(np.exp(inside(pair, WEIGHTS)), [A + B, (A + B) ** 2])
    np.testing.assert_allclose(np.exp(outside(pair, WEIGHTS)), [2 * (A + B), 1.0])  # one term for each occurrence
    np.testing.assert_allclose(outside(pair, WEIGHTS, Real()), [2 * (A + B), 1.0])


def test_marginals_count_both(pair):
    np.testing.assert_allclose(node_marginals(pair, WEIGHTS), [2.0, 1.0])
    np.testing.assert_allclose(marginals(pair, WEIGHTS), 2 * np.array([A, B]) / (A + B))
    np.testing.assert_allclose(edge_marginals(pair, WEIGHTS), [2 * A / (A + B), 2 * B / (A + B), 1.0])


def test_entropy_is_that_of_two_choices(pair):
    p = A / (A + B)
    assert entropy(pair, WEIGHTS) == pytest.approx(-2 * (p * np.log(p) + (1 - p) * np.log(1 - p)))


def test_backward_is_the_covariance(pair):
    p = A / (A + B)
    variance = 2 * p * (1 - p)  # of a binomial with two trials
    chart = InsideOutsideChart.run(pair, WEIGHTS)
    np.testing.assert_allclose(chart.backward(np.array([1.0, 0.0])), [variance, -variance])
    np.testing.assert_allclose(chart.backward(None, np.array([1.0, 1.0])), [0.0, 0.0], atol=1e-15)


def test_kbest_has_all_four(pair):
    found = kbest(pair, WEIGHTS, k=9)
    assert [d.weights.tolist() for d in found] == [[1, 1], [0, 1], [1, 0], [0, 0]] or [
        d.weights.tolist() for d in found
    ] == [[1, 1], [1, 0], [0, 1], [0, 0]]
    np.testing.assert_allclose(np.exp([d.score for d in found]), [B * B, A * B, A * B, A * A])
    assert viterbi(pair, WEIGHTS).weights.tolist() == [1, 1]


def test_samples_expand_both_independently(pair):
    size = 4000
    drawn = [tuple(d.weights.tolist()) for d in sample(pair, WEIGHTS, size, seed=0)]
    p = A / (A + B)
    for choice, expected in {(0, 0): p * p, (0, 1): p * (1 - p), (1, 0): p * (1 - p), (1, 1): (1 - p) ** 2}.items():
        assert drawn.count(choice) / size == pytest.approx(expected, abs=4 * np.sqrt(expected / size))


def test_a_derivation_tells_them_apart(pair):
    second = kbest(pair, WEIGHTS, k=2)[1]
    assert len(second) == 3
    assert sorted(second.weights.tolist()) == [0, 1]
    assert second.tree() == ("goal", ("x",), ("x",))


def test_squaring_again_and_again():
    builder = HypergraphBuilder()
    builder.edge(0, weight="a")
    builder.edge(0, weight="b")
    for level in range(1, 11):
        builder.edge(level, [level - 1, level - 1])
    graph = builder.build(10)
    assert log_partition(graph, WEIGHTS) == pytest.approx(1024 * np.log(A + B))
    np.testing.assert_allclose(marginals(graph, WEIGHTS), 1024 * np.array([A, B]) / (A + B))
    assert len(viterbi(graph, WEIGHTS).weights) == 1024
    assert [d.score for d in kbest(graph, WEIGHTS, k=1)] == pytest.approx([1024 * np.log(B)])

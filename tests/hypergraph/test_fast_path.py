"""The real domain does the work wherever it is safe: answers of the log domain would be as right, and hide that."""

import numpy as np
import pytest

from hypergraph.batched import TreeChart


@pytest.mark.parametrize("roots", ["any", "one"])
def test_ordinary_sentences_stay_in_the_real_domain(roots):
    rng = np.random.default_rng(0)
    for n in (1, 2, 10, 40):
        chart = TreeChart.run(3 * rng.normal(size=(4, n + 1, n + 1)), roots=roots)
        assert not len(chart._unsafe)
        assert np.isfinite(chart.log_partitions).all()


def test_impossible_weights_and_far_shifts_stay_there_too():
    scores = np.full((1, 6, 6), -np.inf)
    scores[0, np.arange(5), np.arange(1, 6)] = [-900.0, 800.0, -700.0, 5.0, 0.0]  # one tree, whose arcs scale apart
    chart = TreeChart.run(scores)
    assert not len(chart._unsafe)
    assert chart.log_partitions[0] == pytest.approx(-795.0)


def test_the_log_domain_takes_over_where_the_total_is_too_small():
    """The best head of each word makes a cycle; a tree must do without them, and Z falls below 1e-270."""
    scores = np.full((1, 3, 3), -np.inf)
    scores[0, [1, 2, 0, 0], [2, 1, 1, 2]] = [0.0, 0.0, -600.0, -700.0]
    for gap, unsafe in ((600.0, 0), (700.0, 1)):
        scores[0, 0, 1], scores[0, 0, 2] = -gap, -gap - 100.0
        chart = TreeChart.run(scores)
        assert len(chart._unsafe) == unsafe
        assert chart.log_partitions[0] == pytest.approx(-gap)
        assert chart.marginals[0][0, 0, 1] == pytest.approx(1.0)

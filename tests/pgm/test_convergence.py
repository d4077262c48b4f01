"""What `converged` and `residual` promise."""

import numpy as np
import pytest

from oracles.joint import joint_log, marginals_of
from pgm import BeliefPropagation, FactorGraph
from pgm.factors import Table

SCHEDULES = ["parallel", "serial", "residual"]


@pytest.mark.parametrize("states", [2, 3])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_residual_is_that_of_the_undamped_message(states, schedule):
    graph = FactorGraph()
    x = graph.variables("x", 2, states)
    graph.add(Table(x[[[0, 1]]], 4.0 * np.eye(states)))
    graph.add(Table([x[0]], np.arange(states) * 3.0))
    _, expected = marginals_of(joint_log(graph))
    hardly = BeliefPropagation(damping=1 - 1e-9, schedule=schedule).run(graph)
    assert not hardly.converged
    assert hardly.residual > 1.0
    damped = BeliefPropagation(damping=0.9, iterations=1000, schedule=schedule).run(graph)
    assert damped.converged
    np.testing.assert_allclose(np.concatenate(damped.beliefs), np.concatenate(expected), atol=1e-7)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_tree_with_wide_potentials_is_not_left_too_early(schedule):
    """An entry of no weight in one message is what counts where another message forbids the rest."""
    for seed in range(120):
        rng = np.random.default_rng(seed)
        graph = FactorGraph()
        states = int(rng.integers(2, 4))
        x = graph.variables("x", 7, states)
        for i in range(1, 7):
            table = rng.choice([0.0, -40.0, -100.0, -400.0, -3000.0], size=(states, states))
            graph.add(Table([x[int(rng.integers(max(0, i - 2), i))], x[i]], table))
        for i in range(7):
            graph.add(Table([x[i]], rng.choice([0.0, -60.0, -500.0, -2000.0], size=states)))
        result = BeliefPropagation(schedule=schedule).run(graph)
        log_z, expected = marginals_of(joint_log(graph))
        assert result.converged
        assert result.log_partition == pytest.approx(log_z, rel=1e-9)
        np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(expected), atol=1e-7)

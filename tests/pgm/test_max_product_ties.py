"""Max-product on graphs without cycles gives a best assignment, however many are tied; on others a good guess."""

import numpy as np
import pytest

from oracles.factor_graphs import random_acyclic_graph
from oracles.joint import joint_log
from pgm import BeliefPropagation, ContradictionError, FactorGraph
from pgm.backpointers import is_acyclic
from pgm.factors import BothOn, LinearChainFactor, Table

SCHEDULES = ["parallel", "serial", "residual"]


def test_two_variables_that_differ():
    graph = FactorGraph()
    x = graph.variables("x", 2)
    graph.add(Table(x[[[0, 1]]], [[-5.0, 0.0], [0.0, -5.0]]))
    assert graph.score(BeliefPropagation(mode="max").run(graph).assignment()) == 0.0


def coarse(graph, rng, size):
    """Round all potentials to -size, 0 or size, so that there are ties; some become impossible."""
    for family in graph.families:
        if family.potentials is not None:
            family.potentials[...] = rng.choice([-size, 0.0, size, -np.inf], p=[0.3, 0.4, 0.25, 0.05],
                                                size=family.potentials.shape)  # fmt: skip


@pytest.mark.parametrize("size", [1.0, 1e4])
@pytest.mark.parametrize("part", range(4))
def test_acyclic_graphs_with_ties(part, size):
    rng = np.random.default_rng(part)
    tied = 0
    for number in range(80):
        graph = random_acyclic_graph(rng, zeros=0.0)
        coarse(graph, rng, size)
        assert is_acyclic(graph)
        joint = joint_log(graph)
        propagation = BeliefPropagation(mode="max", schedule=SCHEDULES[number % 3], damping=0.3 * (number % 2))
        if joint.max() == -np.inf:
            with pytest.raises(ContradictionError):
                propagation.run(graph)
            continue
        tied += (joint == joint.max()).sum() > 1
        found = propagation.run(graph).assignment()
        assert graph.score(found) == pytest.approx(joint.max(), rel=1e-9, abs=1e-9)
    assert tied >= 30


def test_few_iterations_and_evidence_make_no_difference():
    rng = np.random.default_rng(0)
    graph = FactorGraph()
    x = graph.variables("x", 9, 3)
    graph.add(Table(x[[[i, i + 1] for i in range(8)]], rng.choice([0.0, 1.0], size=(8, 3, 3))))
    joint = joint_log(graph)
    for state in range(3):
        found = BeliefPropagation(mode="max", iterations=1).run(graph, evidence={x[4]: state}).assignment()
        assert found[4] == state
        assert graph.score(found) == np.take(joint, state, axis=4).max()


def test_a_hypergraph_factor_with_ties():
    """All the ways through a chain that prefer nothing but change."""
    graph = FactorGraph()
    tags = graph.variables("tag", 6, 3)
    graph.add(LinearChainFactor(tags, np.where(np.eye(3) > 0, -1.0, 0.0), shared=True))
    assert graph.score(BeliefPropagation(mode="max").run(graph).assignment()) == 0.0


def test_ties_in_a_loop_are_settled_along_a_tree():
    graph = FactorGraph()
    x = graph.variables("x", (6, 6))
    numbers = np.arange(36).reshape(6, 6)
    across = np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1)
    pairs = np.concatenate([across, np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], axis=1)])
    graph.add(Table(x.ravel()[pairs], [[-5.0, 0.0], [0.0, -5.0]]))  # a chess board, or its opposite
    assert not is_acyclic(graph)
    assert graph.score(BeliefPropagation(mode="max").run(graph).assignment()) == 0.0


def test_variables_without_factors_and_disconnected_ones():
    graph = FactorGraph()
    x = graph.variables("x", 5)
    graph.add(BothOn(x[[[0, 1]]], [1.0]))
    graph.add(Table(x[[[3]]], [[0.0, 2.0]]))
    found = BeliefPropagation(mode="max").run(graph, evidence={x[4]: 1}).assignment()
    assert graph.score(found) == 3.0
    assert found[4] == 1

"""Deterministic annealing against the best of all assignments."""

import numpy as np
import pytest

from oracles.factor_graphs import random_acyclic_graph, random_loopy_graph
from oracles.joint import joint_log
from pgm import ContradictionError, FactorGraph
from pgm.factors import Table
from pgm.map import DeterministicAnnealing


def test_it_finds_the_best_assignment_of_trees():
    rng = np.random.default_rng(0)
    checked = 0
    for _ in range(80):
        graph = random_acyclic_graph(rng, zeros=0.1)
        joint = joint_log(graph)
        first, second = np.sort(joint.ravel())[::-1][:2]
        if first == -np.inf or first - second < 0.3:
            continue
        result = DeterministicAnnealing(schedule="serial", damping=0.0).run(graph)
        assert result.score == pytest.approx(first)
        assert graph.score(result.assignment()) == pytest.approx(result.score)
        checked += 1
    assert checked >= 15


@pytest.mark.parametrize("kind", ["tables", "parse"])
def test_it_is_near_the_best_on_loopy_graphs(kind):
    for seed in range(5):
        graph = random_loopy_graph(np.random.default_rng(seed), kind)
        joint = joint_log(graph)
        result = DeterministicAnnealing().run(graph)
        assert joint.max() - result.score < 1.0


def test_evidence_and_contradictions():
    graph = FactorGraph()
    x = graph.variables("x", shape=(2,))
    graph.add(Table(x[[[0, 1]]], [[1.0, 0.0], [-np.inf, 1.0]]))
    assert DeterministicAnnealing().run(graph, evidence={x[0]: 1}).assignment().tolist() == [1, 1]
    with pytest.raises(ContradictionError):
        DeterministicAnnealing().run(graph, evidence={x[0]: 1, x[1]: 0})

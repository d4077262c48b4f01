"""The spanning-tree schedule: a factor over all variables is found to be the root without a search."""

import numpy as np
import pytest

from pgm import BeliefPropagation, FactorGraph, FactorGraphError
from pgm.factors import BothOn, ExactlyOne, ProjectiveTree, Table
from pgm.schedules import Serial


def _graph(rng, *, idle):
    """A tree constraint with rewards for pairs; a variable that no factor has makes the schedule search."""
    graph = FactorGraph()
    arcs = graph.variables("arc", shape=(4, 3))
    flat = arcs.ravel()
    graph.add(Table(flat[:, None], rng.normal(size=(12, 2))))
    graph.add(BothOn(flat[[[0, 4], [1, 5], [7, 2]]], rng.normal(size=3)))
    graph.add(ProjectiveTree(arcs))
    graph.add(BothOn(flat[[[0, 1], [8, 9]]], rng.normal(size=2)))
    if idle:
        graph.variable("idle")
    return graph


@pytest.mark.parametrize("root_first", [False, True])
def test_the_short_cut_makes_the_same_plan(root_first):
    schedule = Serial(root_first=root_first)
    short, searched = (schedule.plan(_graph(np.random.default_rng(0), idle=idle)) for idle in (False, True))
    for ours, theirs in ((short.opening, searched.opening), (short.rounds, searched.rounds)):
        assert [[step.block for step in steps] for steps in ours] == [[s.block for s in steps] for steps in theirs]
        for one, other in zip(sum(ours, ()), sum(theirs, ()), strict=True):
            np.testing.assert_equal(one.targets, other.targets)
    for one, other in zip(short.layout.blocks, searched.layout.blocks, strict=True):
        np.testing.assert_array_equal(one.factor.variables, other.factor.variables)
    propagation = BeliefPropagation(schedule=schedule, iterations=3)
    graphs = (_graph(np.random.default_rng(1), idle=idle) for idle in (False, True))
    beliefs = [propagation.run(graph).belief("arc") for graph in graphs]
    np.testing.assert_array_equal(*beliefs)


@pytest.mark.parametrize("count", [2, 5, 40])
def test_a_variable_twice_is_found_in_any_row(count):
    graph = FactorGraph()
    variables = graph.variables("x", shape=(2 * count,))
    rows = np.arange(2 * count).reshape(2, count)
    graph.add(ExactlyOne(variables[rows]))
    rows[1, -1] = rows[1, 0]
    with pytest.raises(FactorGraphError, match=r"factor 1 .* has a variable twice"):
        graph.add(ExactlyOne(variables[rows]))

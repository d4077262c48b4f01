"""What a newcomer got wrong, and should be told."""

import numpy as np
import pytest

from pgm import BeliefPropagation, FactorGraph, FactorGraphError
from pgm.exact import JunctionTree
from pgm.factors import Table


@pytest.fixture
def graph():
    graph = FactorGraph()
    colours = graph.variables("c", shape=(2, 2), states=["red", "green", "blue"])
    graph.add(Table(colours.ravel()[[[0, 1], [2, 3]]], np.where(np.eye(3) > 0, -np.inf, 0.0)))
    return graph


def test_variables_of_another_graph_are_refused(graph):
    other = FactorGraph().variable("a", ["p", "q"])
    result = BeliefPropagation().run(graph)
    with pytest.raises(FactorGraphError, match="another factor graph"):
        result.belief(other)
    for method in (BeliefPropagation(), JunctionTree()):
        with pytest.raises(FactorGraphError, match="another factor graph"):
            method.run(graph, evidence={other: "p"})


def test_elements_of_arrays_go_by_their_names(graph):
    result = BeliefPropagation().run(graph, evidence={"c[0, 0]": "red"})
    np.testing.assert_allclose(result.belief("c[0, 1]"), [0.0, 0.5, 0.5])
    assert result.belief("c").shape == (2, 2, 3)
    with pytest.raises(FactorGraphError, match="no variable"):
        result.belief("c[7, 0]")


@pytest.mark.parametrize("assignment", [[0, 1], [0, 1, 2, 0.5], [0, 1, 2, 3], {"c": 1}])
def test_assignments_are_checked(graph, assignment):
    with pytest.raises(FactorGraphError):
        graph.score(assignment)


def test_the_same_factor_cannot_be_added_twice(graph):
    with pytest.raises(FactorGraphError, match="already"):
        graph.add(graph.families[0])
    with pytest.raises(FactorGraphError, match="negative"):
        graph.variables("less", shape=(-2,))


@pytest.mark.parametrize("mode", ["sum", "max"])
def test_assignments_respect_hard_constraints_in_spite_of_ties(mode):
    graph = FactorGraph()
    c = graph.variables("c", shape=(4,), states=3)
    graph.add(Table(c[[[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]], np.where(np.eye(3) > 0, -np.inf, 0.0)))
    result = BeliefPropagation(mode=mode).run(graph)
    before = result.flat_beliefs.copy()
    assert graph.score(result.assignment()) == 0.0
    np.testing.assert_array_equal(result.passing.beliefs(), before)  # looking changes nothing


def test_wrong_options_are_said_in_a_line():
    with pytest.raises(ValueError, match="mode is 'sum' or 'max', not 'both'"):
        BeliefPropagation(mode="both")

"""How the variables of a factor are given, and the sizes of arrays of them."""

import copy
import itertools

import numpy as np
import pytest

from oracles.calls import calls
from pgm import BeliefPropagation, FactorGraph, FactorGraphError, PotentialError, PotentialWarning
from pgm.factors import LinearChainFactor, LogLinear, Scored, Table
from pgm.variables import as_index


@pytest.fixture
def graph():
    return FactorGraph()


def test_forms(graph):
    x = graph.variables("x", 4)
    pairs = [[0, 1], [1, 2], [2, 3]]
    for given in (
        [x[:-1], x[1:]],
        (x[:-1], x[1:]),
        np.stack([x[:-1], x[1:]], axis=1),
        [[x[0], x[1]], [x[1], x[2]], (x[2], x[3])],
        x[pairs],
        np.array(pairs),
    ):
        assert as_index(given).tolist() == pairs
    assert as_index(x[2]).tolist() == [[2]]
    assert as_index([x[2], x[0]]).tolist() == [[2, 0]]
    assert as_index([x[0], x[1:]]).tolist() == [[0, 1], [0, 2], [0, 3]]
    assert as_index(x[:, None]).tolist() == [[0], [1], [2], [3]]
    assert as_index([x]).tolist() == [[0], [1], [2], [3]]


def test_columns_of_a_grid(graph):
    grid = graph.variables("pixel", (2, 3))
    assert as_index([grid[:, :-1], grid[:, 1:]]).tolist() == [[0, 1], [1, 2], [3, 4], [4, 5]]
    table = graph.add(Table([grid[:-1], grid[1:]], np.eye(2)))
    assert table.num_factors == 3
    assert BeliefPropagation().run(graph).belief(grid).shape == (2, 3, 2)


def test_columns_of_different_kinds(graph):
    tags, flag = graph.variables("tag", 3, ["noun", "verb", "other"]), graph.variable("flag")
    table = graph.add(Table([tags, flag], np.zeros((3, 2))))
    assert table.cardinalities == (3, 2)
    assert table.variables.tolist() == [[0, 3], [1, 3], [2, 3]]
    assert Table([tags[:0], flag], np.zeros((3, 2))).cardinalities == (3, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: [x[:-1], x[2:]], r"have one shape; these have several \(x: \(3,\), x: \(2,\)\)"),
        (lambda x: [[x[0], x[1]], [x[1]]], r"all of one length; these have \[1, 2\]"),
        (lambda x: [[x[:2], x[2:]], [x[:2], x[2:]]], "one for each position"),
        (lambda x: [0, 1], "Variables or VariableArrays, not 0"),
        (lambda x: ["x"], "not 'x'"),
        (lambda x: "x", "not 'x'"),
        (lambda x: 3, "not 3"),
        (lambda x: [], "at least one variable"),
        (lambda x: np.zeros((2, 0), dtype=int), "at least one variable"),
        (lambda x: np.array([0.5, 1.0]), "whole numbers"),
        (lambda x: np.stack([np.stack([x, x]), np.stack([x, x])]), "not of shape"),
        (lambda x: [x[0], FactorGraph().variable("y")], "different factor graphs"),
    ],
)
def test_mistakes_are_named(graph, make, message):
    x = graph.variables("x", 4)
    with pytest.raises(FactorGraphError, match=message):
        Table(make(x), np.zeros((2, 2)))


def test_numpy_integers_are_sizes(graph):
    assert graph.variables("a", np.int64(3)).shape == (3,)
    assert graph.variables("b", (np.int32(2), 3), states=np.int64(4)).shape == (2, 3)
    assert graph.variables("c", np.array([2, 2])).shape == (2, 2)
    assert graph.variable("d", np.int64(3)).states == (0, 1, 2)
    assert graph.variable("e", np.array(["no", "yes"])).states == ("no", "yes")
    assert graph["b"].cardinality == 4


@pytest.mark.parametrize("shape", [2.5, "3", (2, 1.0), None, (-1,)])
def test_wrong_sizes(graph, shape):
    with pytest.raises(FactorGraphError, match="'x': the shape"):
        graph.variables("x", shape)


@pytest.mark.parametrize("states", [2.5, None, [[1], [2]], 0, -1, ["a", "a"]])
def test_wrong_states(graph, states):
    with pytest.raises(FactorGraphError, match="variable 'x'"):
        graph.variable("x", states)


def test_missing_axes_are_refused(graph):
    x = graph.variables("x", 12)
    with pytest.raises(PotentialError, match=r"shape \(2,\) do not fit .*axes are missing.*\[x\]"):
        Table(x, [0.0, 1.0])
    with pytest.raises(PotentialError, match="axes are missing"):
        Table(x, 0.0)
    with pytest.raises(PotentialError, match="axes are missing"):
        Table(np.arange(12), [0.0, 1.0])
    assert Table([x], [0.0, 1.0]).log_potentials.shape == (12, 2)
    assert Table(x[:2], np.zeros((2, 2))).log_potentials.shape == (1, 2, 2)
    with pytest.raises(PotentialError, match="axes"):
        LinearChainFactor(x, [0.0, 1.0])
    assert LinearChainFactor(x, np.eye(2)).log_potentials.shape == (1, 11, 2, 2)


def test_probabilities_are_noticed(graph):
    x = graph.variables("x", 3)
    for given in ([0.2, 0.8], [[0.1, 0.9], [0.5, 0.5], [0.3, 0.7]]):
        with pytest.warns(PotentialWarning, match="are they probabilities"):
            Table([x], given)
    for given in ([[0.9, 0.1], [0.2, 0.8]], [[0.9, 0.2], [0.1, 0.8]], [[0.1, 0.2], [0.3, 0.4]]):
        with pytest.warns(PotentialWarning, match=r"np\.log") as caught:
            Table([x[:-1], x[1:]], given)
        assert caught[0].filename == __file__
    with pytest.warns(PotentialWarning):
        LinearChainFactor(x, [[0.9, 0.1], [0.2, 0.8]], shared=True)


def test_no_false_alarm(graph):  # warnings are errors here
    x = graph.variables("x", 3)
    for given in (np.eye(2), np.zeros((2, 2)), np.full((2, 2), 0.5), np.log([[0.9, 0.1], [0.2, 0.8]])):
        Table([x[:-1], x[1:]], given)
    Table([x], [0.0, 1.0])
    Table([x], [0.4, 0.8])
    from autodiff import Parameter
    from autodiff.modules import Linear

    LogLinear([x], [[0.2], [0.8]], Parameter("weights", [1.0]))
    Scored([x], Linear(), [[1.0]] * 3, Parameter("weights", [[0.2, 0.8]]), Parameter("bias", [0.0, 0.0]))


def test_variables_may_come_from_an_iterator(graph):
    x = graph.variables("x", 3)
    assert graph.add(Table(itertools.pairwise(x), np.eye(2))).variables.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize("name", [3, ("x", 1), ["x"], None])
def test_names_are_text(graph, name):
    with pytest.raises(FactorGraphError, match="the name of a variable is text, not"):
        graph.variable(name)


def test_variables_and_factors_that_come_in_turns(graph):
    for number in range(4):
        added = graph.add(Table([graph.variable(str(number), number + 1)], np.zeros(number + 1)))
        assert graph.cardinalities.tolist() == list(range(1, number + 2))
        with pytest.raises(FactorGraphError, match="in the graph already"):
            graph.add(added)
    twin = copy.deepcopy(graph)
    with pytest.raises(FactorGraphError, match="in the graph already"):
        twin.add(twin.families[0])


def _built(size):
    """Build a graph of many variables and factors, one by one."""
    graph = FactorGraph()
    for number in range(size):
        graph.add(Table([graph.variable(str(number))], np.zeros(2)))


def test_graphs_are_built_in_linear_time():
    _built(10)
    assert calls(_built, 400) < 2.2 * calls(_built, 200)

"""The linear-programming relaxation: a bound always, tight where theory says so."""

import numpy as np
import pytest

from oracles.table_graphs import random_table_graph
from pgm import ContradictionError, FactorGraph, TooLargeError
from pgm.exact import BruteForce
from pgm.factors import (
    AndWithOutput,
    AtMostOne,
    Budget,
    ExactlyOne,
    Imply,
    Nand,
    Or,
    OrWithOutput,
    ProjectiveTree,
    Table,
    XorWithOutput,
)
from pgm.map import LinearProgram

LOGIC = [AndWithOutput, AtMostOne, ExactlyOne, Imply, Nand, Or, OrWithOutput, XorWithOutput]


@pytest.mark.parametrize("seed", range(30))
def test_the_bound_holds_and_an_integral_solution_is_best(seed):
    rng = np.random.default_rng(seed)
    graph = random_table_graph(rng, variables=6, factors=8)
    best = BruteForce().maximum(graph)
    evidence = {0: int(best.assignment()[0])} if seed % 2 else None
    result = LinearProgram().run(graph, evidence=evidence)
    assert result.bound >= best.score - 1e-6
    assert result.score <= best.score + 1e-9
    if result.integral:
        assert result.score == pytest.approx(best.score, abs=1e-6)
        assert result.bound == pytest.approx(best.score, abs=1e-6)
    for belief in result.beliefs:
        assert belief.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(10))
def test_trees_are_integral(seed):
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    x = graph.variables("x", 12, 3)
    parents = rng.integers(np.arange(1, 12))
    graph.add(Table(x[np.stack([parents, np.arange(1, 12)], axis=1)], rng.normal(size=(11, 3, 3))))
    result = LinearProgram().run(graph)
    assert result.integral
    assert result.score == pytest.approx(BruteForce().maximum(graph).score)
    np.testing.assert_array_equal(result.assignment(), BruteForce().maximum(graph).assignment())


def one_constraint(kind, seed: int, **options) -> FactorGraph:
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    x = graph.variables("x", 5)
    graph.add(Table(x[np.arange(5)[:, None]], np.stack([np.zeros(5), rng.normal(size=5)], axis=1)))
    graph.add(kind([x[i] for i in range(5)], negated=rng.random(5) < 0.4, **options))
    return graph


@pytest.mark.parametrize("kind", LOGIC, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", range(5))
def test_a_constraint_has_the_hull_of_its_assignments(kind, seed):
    graph = one_constraint(kind, seed)
    result = LinearProgram(limit=1).run(graph)  # the limit says that no table is made of it
    assert result.integral
    assert result.score == pytest.approx(BruteForce().maximum(graph).score)


@pytest.mark.parametrize("exactly", [False, True])
@pytest.mark.parametrize("limit", range(6))
def test_budgets(limit, exactly):
    graph = one_constraint(Budget, limit, limit=limit, exactly=exactly)
    result = LinearProgram(limit=1).run(graph)
    assert result.integral
    assert result.score == pytest.approx(BruteForce().maximum(graph).score)


def test_families_of_constraints_with_evidence():
    graph = FactorGraph()
    x = graph.variables("x", (4, 3))
    rng = np.random.default_rng(0)
    weights = np.stack([np.zeros(12), rng.normal(size=12)], axis=1)
    graph.add(Table(x.ravel()[np.arange(12)[:, None]], weights))
    graph.add(ExactlyOne(x))  # a family: one of each row
    graph.add(AtMostOne([x[i, 0] for i in range(4)]))
    result = LinearProgram().run(graph, evidence={x[2, 0]: 1})
    assert result.integral
    assert result.belief(x)[2, 0, 1] == pytest.approx(1.0)
    assert result.score == pytest.approx(BruteForce().maximum(graph, evidence={x[2, 0]: 1}).score)
    with pytest.raises(ContradictionError, match="linear relaxation"):
        LinearProgram().run(graph, evidence={x[2, 0]: 1, x[1, 0]: 1})


def test_a_large_factor_without_constraints_is_refused():
    graph = FactorGraph()
    graph.add(ProjectiveTree(graph.variables("arc", (6, 5))))
    with pytest.raises(TooLargeError, match="ProjectiveTree"):
        LinearProgram().run(graph)


def test_a_graph_without_variables():
    result = LinearProgram().run(FactorGraph())
    assert (result.bound, result.score, result.integral) == (0.0, 0.0, True)
    assert result.flat_beliefs.shape == (0,)

"""Exact inference: brute force against plain enumeration, and the junction tree against brute force."""

import itertools
import tracemalloc

import numpy as np
import pytest

from oracles.table_graphs import random_table_graph
from pgm import ContradictionError, FactorGraph, TooLargeError
from pgm.exact import BruteForce, JunctionTree
from pgm.factors import AtMostOne, ExactlyOne, Table


def grid(side: int, states: int = 2, seed: int = 0) -> FactorGraph:
    graph = FactorGraph()
    x = graph.variables("x", (side, side), states)
    rng = np.random.default_rng(seed)
    across = np.stack([x.index[:, :-1].ravel(), x.index[:, 1:].ravel()], axis=1)
    down = np.stack([x.index[:-1].ravel(), x.index[1:].ravel()], axis=1)
    for pairs in (across, down):
        graph.add(Table(x.ravel()[pairs], rng.normal(size=(len(pairs), states, states))))
    return graph


def random_evidence(graph: FactorGraph, rng: np.random.Generator) -> dict[int, int]:
    possible = BruteForce().maximum(graph).assignment()
    return {v: int(possible[v]) for v in range(graph.num_variables) if rng.random() < 0.25}


@pytest.mark.parametrize("seed", range(20))
def test_brute_force_is_a_loop_over_assignments(seed):
    rng = np.random.default_rng(seed)
    graph = random_table_graph(rng, variables=4, factors=5)
    evidence = random_evidence(graph, rng)
    weights, beliefs = {}, [np.zeros(card) for card in graph.cardinalities]
    for y in itertools.product(*map(range, graph.cardinalities)):
        if all(y[v] == x for v, x in evidence.items()):
            weights[y] = np.exp(graph.score(np.array(y)))
            for v, state in enumerate(y):
                beliefs[v][state] += weights[y]
    total = sum(weights.values())
    result = BruteForce().run(graph, evidence=evidence)
    assert result.log_partition == pytest.approx(np.log(total), abs=1e-12)
    for found, expected in zip(result.beliefs, beliefs, strict=True):
        np.testing.assert_allclose(found, expected / total, atol=1e-12)
    best = BruteForce().maximum(graph, evidence=evidence)
    assert weights[tuple(best.assignment())] == pytest.approx(max(weights.values()))
    for family, joint in result.factor_beliefs.items():
        expected = np.zeros_like(joint)
        for y, weight in weights.items():
            for row in range(family.num_factors):
                expected[(row, *np.array(y)[family.variables[row]])] += weight / total
        np.testing.assert_allclose(joint, expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(250))
def test_junction_tree_agrees_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    scale = 1.0 if seed % 3 else 3000.0
    graph = random_table_graph(
        rng, variables=int(rng.integers(1, 10)), factors=int(rng.integers(1, 14)), zeros=0.3, scale=scale
    )
    evidence = random_evidence(graph, rng) if seed % 2 else None
    brute, tree = (method.run(graph, evidence=evidence) for method in (BruteForce(), JunctionTree()))
    assert tree.log_partition == pytest.approx(brute.log_partition, rel=1e-12, abs=1e-10)
    for found, expected in zip(tree.beliefs, brute.beliefs, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-10)
        assert found.sum() == pytest.approx(1.0, abs=1e-12)
    for found, expected in zip(tree.factor_beliefs.values(), brute.factor_beliefs.values(), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-10)
    best = JunctionTree().maximum(graph, evidence=evidence)
    assert best.score == pytest.approx(BruteForce().maximum(graph, evidence=evidence).score, rel=1e-12, abs=1e-10)
    assert all(best.assignment()[v] == x for v, x in (evidence or {}).items())


def test_factors_that_are_no_tables_are_asked_for_their_scores():
    graph = FactorGraph()
    x = graph.variables("x", 6)
    graph.add(Table(x[np.arange(6)[:, None]], np.random.default_rng(0).normal(size=(6, 2))))
    graph.add(ExactlyOne([x[0], x[1], x[2]]))
    graph.add(AtMostOne(x[[[2, 3], [3, 4], [4, 5]]], negated=[False, True]))
    brute, tree = BruteForce().run(graph), JunctionTree().run(graph)
    assert tree.log_partition == pytest.approx(brute.log_partition, abs=1e-12)
    np.testing.assert_allclose(tree.belief(x), brute.belief(x), atol=1e-12)
    exactly = brute.belief(graph.families[1])[0]
    assert exactly[1, 1, 0] == exactly[0, 0, 0] == 0.0
    assert exactly.sum() == pytest.approx(1.0)


def test_wide_potentials_and_zeros_do_no_harm():
    graph = FactorGraph()
    x = graph.variables("x", 40, 3)
    pairs = np.stack([np.arange(39), np.arange(1, 40)], axis=1)
    values = np.random.default_rng(1).choice([-1e4, 1e4, -np.inf, 0.0], size=(39, 3, 3))
    values[:, 0, 0] = 1e4
    graph.add(Table(x[pairs], values))
    result, best = JunctionTree().run(graph), JunctionTree().maximum(graph)
    assert best.score == pytest.approx(39e4)
    assert 39e4 <= result.log_partition <= 39e4 + 40 * np.log(3)
    assert all(np.isfinite(belief).all() for belief in result.beliefs)


@pytest.mark.parametrize("method", [BruteForce(), JunctionTree()])
def test_a_contradiction_is_named(method):
    graph = FactorGraph()
    rain, wet = graph.variable("rain"), graph.variable("wet")
    graph.add(Table([rain, wet], [[0.0, -np.inf], [-np.inf, 0.0]], name="same"))
    with pytest.raises(ContradictionError, match=r"same over .*rain.*evidence"):
        method.run(graph, evidence={rain: 1, wet: 0})
    graph.add(Table([rain, wet], [[-np.inf, 0.0], [0.0, -np.inf]], name="different"))
    for ask in (method.run, method.maximum):
        with pytest.raises(ContradictionError, match="satisfies all"):
            ask(graph)


def test_too_large_is_said_before_anything_is_allocated():
    graph = grid(45)
    tracemalloc.start()
    plan = JunctionTree().plan(graph)
    assert plan.treewidth >= 45
    with pytest.raises(TooLargeError, match=r"needs .* TiB, but the budget is 2.0 GiB \(treewidth \d+"):
        JunctionTree().run(graph)
    with pytest.raises(TooLargeError, match="2025 free variables have about 1e610 assignments"):
        BruteForce().run(graph)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


def test_a_factor_over_very_many_variables_is_refused_at_once():
    graph = FactorGraph()
    graph.add(ExactlyOne(graph.variables("x", 1500)))
    with pytest.raises(TooLargeError, match="treewidth 1499"):
        JunctionTree().run(graph)


def test_memory_is_what_the_plan_says():
    graph = grid(16)
    plan = JunctionTree().plan(graph)
    assert plan.largest_table >= 2**16
    tracemalloc.start()
    JunctionTree(budget=plan.memory).run(graph)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < plan.memory + 4e6  # the rest are small objects
    with pytest.raises(TooLargeError):
        JunctionTree(budget=plan.memory - 1).run(graph)


def test_a_long_tree_is_cheap():
    graph = FactorGraph()
    x = graph.variables("x", 2000, 5)
    parents = np.random.default_rng(0).integers(np.arange(1, 2000))
    graph.add(Table(x[np.stack([parents, np.arange(1, 2000)], axis=1)], np.eye(5)))
    plan = JunctionTree().plan(graph)
    assert plan.treewidth == 1
    assert plan.memory < 2**20
    assert JunctionTree().run(graph).log_partition == pytest.approx(np.log(5) + 1999 * np.log(4 + np.e))


def test_variables_without_factors_and_an_empty_graph():
    graph = FactorGraph()
    x = graph.variables("x", 3, 4)
    for method in (BruteForce(), JunctionTree()):
        result = method.run(graph, evidence={x[1]: 2})
        assert result.log_partition == pytest.approx(2 * np.log(4))
        np.testing.assert_allclose(result.belief(x)[:, 2], [0.25, 1.0, 0.25])
        assert method.run(FactorGraph()).log_partition == 0.0

"""Belief propagation against the joint distribution; what its results promise; extreme potentials; evidence."""

import numpy as np
import pytest

from oracles.factor_graphs import random_acyclic_graph, random_loopy_graph
from oracles.joint import joint_log, marginals_of
from pgm import BeliefPropagation, ContradictionError, FactorGraph, FactorGraphError
from pgm.factors import ExactlyOne, ProjectiveTree, Table

SCHEDULES = ["parallel", "serial", "residual"]


@pytest.mark.parametrize("part", range(10))
def test_exact_on_a_thousand_acyclic_graphs(part):
    rng = np.random.default_rng(part)
    possible = 0
    for _ in range(140):
        graph = random_acyclic_graph(rng)
        joint = joint_log(graph)
        log_z, expected = marginals_of(joint)
        propagation = BeliefPropagation(schedule="serial", iterations=3)
        if log_z == -np.inf:
            with pytest.raises(ContradictionError, match="impossible"):
                propagation.run(graph)
            continue
        possible += 1
        result = propagation.run(graph)
        assert result.converged
        assert abs(result.log_partition - log_z) < 1e-10 * max(1.0, abs(log_z))
        for belief, marginal in zip(result.beliefs, expected, strict=True):
            assert np.abs(belief - marginal).max() < 1e-10
        weights = np.exp(joint - log_z)
        entropy = -(weights[weights > 0] * np.log(weights[weights > 0])).sum()
        assert abs(result.bethe_entropy - entropy) < 1e-9
        best = BeliefPropagation(schedule="serial", iterations=3, mode="max").run(graph)
        second, first = np.sort(joint.ravel())[-2:]
        if first - second > 1e-9:  # else the states of a tie may be mixed
            assert abs(graph.score(best.assignment()) - joint.max()) < 1e-9
    assert possible >= 100  # ten parts: at least 1,000 possible graphs of 1,400; the others are contradictions


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_schedules_agree_on_trees(schedule):
    rng = np.random.default_rng(1)
    for _ in range(25):
        graph = random_acyclic_graph(rng, zeros=0.1)
        log_z, expected = marginals_of(joint_log(graph))
        if log_z > -np.inf:
            result = BeliefPropagation(schedule=schedule, iterations=60).run(graph)
            assert result.converged
            assert abs(result.log_partition - log_z) < 1e-9
            np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(expected), atol=1e-9)


@pytest.mark.parametrize("damping", [0.0, 0.4])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kind", ["tables", "parse"])
def test_a_fixed_point_is_consistent(kind, schedule, damping):
    graph = random_loopy_graph(np.random.default_rng(3), kind)
    result = BeliefPropagation(schedule=schedule, damping=damping, iterations=500, tolerance=1e-10).run(graph)
    assert result.converged
    assert result.residual <= 1e-10
    assert len(result.residuals) == result.iterations
    for belief in result.beliefs:
        assert (belief >= 0).all()
        assert (belief <= 1).all()
        assert abs(belief.sum() - 1) < 1e-12
    assert result.disagreement < 1e-6
    for family in graph.families:
        assert result.belief(family).min() >= 0
    # At a fixed point the log-partition is what the beliefs say: minus energy plus entropy.
    energy = 0.0
    for family in graph.families:
        if family.potentials is not None:
            beliefs = result.belief(family)
            energy += (beliefs * np.where(beliefs > 0, family.potentials, 0.0)).sum()
    assert abs(result.log_partition - (energy + result.bethe_entropy)) < 1e-7


def test_all_schedules_and_dampings_reach_the_same_fixed_point():
    graph = random_loopy_graph(np.random.default_rng(3), "tables")
    results = [
        BeliefPropagation(schedule=schedule, damping=damping, iterations=500, tolerance=1e-12).run(graph)
        for schedule in SCHEDULES
        for damping in (0.0, 0.5)
    ]
    for result in results[1:]:
        np.testing.assert_allclose(result.flat_beliefs, results[0].flat_beliefs, atol=1e-9)


def test_non_convergence_is_said():
    graph = FactorGraph()
    x = graph.variables("x", shape=(4,))
    pairs = [[i, j] for i in range(4) for j in range(i + 1, 4)]
    coupling = -4.0  # all want to differ from each other: flooding swings for ever
    graph.add(Table(x[pairs], [[coupling, 0.0], [0.0, coupling]]))
    graph.add(Table(x[[[0], [1], [2], [3]]], [[0.1, 0.0]]))
    result = BeliefPropagation(iterations=50).run(graph)
    assert not result.converged
    assert result.iterations == 50
    assert result.residual > 0.1
    assert BeliefPropagation(iterations=500, damping=0.5).run(graph).converged


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_extreme_potentials_give_no_nan_and_no_warning(schedule):
    rng = np.random.default_rng(0)
    for trial in range(20):
        graph = FactorGraph()
        x = [graph.variable(f"x{i}", 2 + i % 2) for i in range(6)]
        for i in range(5):
            values = rng.choice([-1e4, 0.0, 1e4, -np.inf], size=(x[i].cardinality, x[i + 1].cardinality))
            values[0, 0] = 1e4
            graph.add(Table([x[i], x[i + 1]], values))
        graph.add(Table([x[0]], [1e4, -1e4]))
        result = BeliefPropagation(schedule=schedule, iterations=30).run(graph)
        log_z, expected = marginals_of(joint_log(graph))
        assert np.isfinite(result.flat_beliefs).all(), trial
        np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(expected), atol=1e-9)
        assert abs(result.log_partition - log_z) < 1e-7


def test_opposite_extremes_cancel():
    """+1e4 here and -1e4 there: what is left is the small potential in the middle."""
    graph = FactorGraph()
    x = graph.variables("x", shape=(3,))
    graph.add(Table([x[0]], [0.0, 1e4]))
    graph.add(Table([x[0], x[1]], [[0.0, 0.0], [0.0, -1e4]]))
    graph.add(Table([x[1], x[2]], [[0.0, 0.0], [1e4, 1e4 + 0.5]]))
    result = BeliefPropagation(schedule="serial").run(graph)
    _, expected = marginals_of(joint_log(graph))
    np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(expected), atol=1e-9)


def test_a_contradiction_names_the_factor():
    graph = FactorGraph()
    a, b = graph.variable("a"), graph.variable("b")
    graph.add(ExactlyOne([a, b], name="one of both"))
    with pytest.raises(ContradictionError, match=r"one of both over \(a, b\)"):
        BeliefPropagation().run(graph, evidence={"a": 1, "b": 1})
    impossible = FactorGraph()
    c = impossible.variable("c")
    impossible.add(Table([c], [0.0, -np.inf]))
    impossible.add(Table([c], [-np.inf, 0.0]))
    with pytest.raises(ContradictionError, match="'c'"):
        BeliefPropagation().run(impossible)


def test_evidence_is_conditioning():
    rng = np.random.default_rng(5)
    for _ in range(20):
        graph = random_acyclic_graph(rng, zeros=0.0)
        observed = {0: 1, graph.num_variables - 1: 0}
        log_z, expected = marginals_of(joint_log(graph, observed))
        if log_z > -np.inf:
            result = BeliefPropagation(schedule="serial").run(graph, evidence=observed)
            assert abs(result.log_partition - log_z) < 1e-10 * max(1, abs(log_z))
            np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(expected), atol=1e-10)


def test_evidence_by_variable_name_and_number():
    graph = FactorGraph()
    rain, wet = graph.variable("rain", ["no", "yes"]), graph.variable("wet", ["no", "yes"])
    graph.add(Table([rain, wet], np.log([[0.9, 0.1], [0.2, 0.8]])))
    beliefs = [
        BeliefPropagation().run(graph, evidence=evidence).belief(wet)
        for evidence in ({rain: "yes"}, {"rain": "yes"}, {0: 1})
    ]
    for belief in beliefs:
        np.testing.assert_allclose(belief, [0.2, 0.8])
    with pytest.raises(FactorGraphError, match="no state 'maybe'"):
        BeliefPropagation().run(graph, evidence={rain: "maybe"})
    with pytest.raises(FactorGraphError, match="no variable 'snow'"):
        BeliefPropagation().run(graph, evidence={"snow": 1})


def test_the_same_input_gives_the_same_bytes():
    for kind in ("tables", "parse"):
        graph = random_loopy_graph(np.random.default_rng(7), kind)
        first, second = (BeliefPropagation(iterations=7).run(graph).flat_beliefs.tobytes() for _ in range(2))
        assert first == second


def test_many_single_factors_equal_one_family():
    rng = np.random.default_rng(0)
    potentials = rng.normal(size=(9, 2, 2))
    pairs = [(i, i + 1) for i in range(9)]
    together, apart = FactorGraph(), FactorGraph()
    x = together.variables("x", shape=(10,))
    together.add(Table(x[np.array(pairs)], potentials))
    y = apart.variables("x", shape=(10,))
    for (i, j), potential in zip(pairs, potentials, strict=True):
        apart.add(Table([y[i], y[j]], potential))
    results = [BeliefPropagation(schedule=schedule).run(g) for g in (together, apart) for schedule in SCHEDULES]
    for result in results[1:]:
        np.testing.assert_allclose(result.flat_beliefs, results[0].flat_beliefs, atol=1e-12)
    for schedule in SCHEDULES:  # beliefs of a family that a schedule has split come back in order
        result = BeliefPropagation(schedule=schedule).run(together)
        singles = BeliefPropagation(schedule=schedule).run(apart)
        family = result.belief(together.families[0])
        np.testing.assert_allclose(family, np.concatenate([singles.belief(f) for f in apart.families]), atol=1e-12)


def test_variables_without_factors_are_uniform():
    graph = FactorGraph()
    alone = graph.variable("alone", 3)
    other = graph.variable("other")
    graph.add(Table([other], [0.0, 1.0]))
    result = BeliefPropagation().run(graph)
    np.testing.assert_allclose(result.belief(alone), 1 / 3)
    assert abs(result.log_partition - (np.log(3) + np.log(1 + np.e))) < 1e-12


def test_first_order_parsing_is_exact_in_one_iteration():
    rng = np.random.default_rng(0)
    from hypergraph import log_partition, marginals
    from hypergraph.structures import ProjectiveTrees

    n = 6
    scores = rng.normal(size=(n + 1, n + 1))
    graph = FactorGraph()
    arcs = graph.variables("arc", shape=(n + 1, n))
    unary = np.stack([np.zeros((n + 1) * n), scores[:, 1:].ravel()], axis=1)
    graph.add(Table(arcs.ravel()[np.arange((n + 1) * n)[:, None]], unary))
    graph.add(ProjectiveTree(arcs))
    result = BeliefPropagation(schedule="serial", iterations=1).run(graph)
    trees = ProjectiveTrees(n)
    weights = trees.weights(scores)
    np.testing.assert_allclose(result.belief(arcs)[..., 1], marginals(trees, weights)[:, 1:], atol=1e-12)
    assert abs(result.log_partition - log_partition(trees, weights)) < 1e-10


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda g, a: g.add("factor"), "takes a factor"),
        (lambda g, a: g.add(Table([a, a], np.zeros((2, 2)))), "twice"),
        (lambda g, a: g.add(Table([FactorGraph().variable("other")], [0.0, 0.0])), "another factor graph"),
        (lambda g, a: g.variable("a"), "already a variable 'a'"),
        (lambda g, a: g.variable("b", ["x", "x"]), "must be different"),
    ],
)
def test_mistakes_are_named(build, message):
    graph = FactorGraph()
    variable = graph.variable("a")
    with pytest.raises(FactorGraphError, match=message):
        build(graph, variable)

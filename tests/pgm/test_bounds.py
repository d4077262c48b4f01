"""Counting numbers and mean field: bounds on log Z around the exact one, and where they meet belief propagation."""

import numpy as np
import pytest

from oracles.factor_graphs import random_acyclic_graph, random_loopy_graph
from oracles.joint import joint_log, marginals_of
from pgm import (
    BeliefPropagation,
    ContradictionError,
    FactorGraph,
    FactorGraphError,
    FractionalBeliefPropagation,
    MeanField,
    TreeReweighted,
    appearance_probabilities,
)
from pgm.backpointers import is_acyclic
from pgm.exact import BruteForce
from pgm.factors import AtMostOne, BothOn, ExactlyOne, LinearChainFactor, Parity, ProjectiveTree, Table


def loopy(rng, states, scale, degree=2, zeros=0.0):
    graph = FactorGraph()
    x = graph.variables("x", 6, states)
    for _ in range(8):
        members = rng.permutation(6)[: int(rng.integers(2, degree + 1))]
        table = scale * rng.normal(size=(states,) * len(members))
        table[rng.random(table.shape) < zeros] = -np.inf
        table[(0,) * len(members)] = 0.0  # all 0 is possible
        graph.add(Table([x[int(v)] for v in members], table))
    graph.add(Table(x[np.arange(6)[:, None]], scale * rng.normal(size=(6, states))))
    return graph


def mixed(rng):
    """Constraints, a chain and pairs."""
    graph = FactorGraph()
    x, tags = graph.variables("x", 6), graph.variables("tag", 3, 3)
    graph.add(AtMostOne(x[[[0, 1, 2], [2, 3, 4]]]))
    graph.add(Parity(x[[[1, 3, 5]]]))
    graph.add(LinearChainFactor(tags, rng.normal(size=(3, 3)), shared=True))
    graph.add(Table([x[[0, 4, 5]], tags[[0, 1, 2]]], rng.normal(size=(3, 2, 3))))
    graph.add(BothOn(x[[[0, 5], [1, 4]]], rng.normal(size=2)))
    return graph


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("degree", [2, 3])
def test_bounds_on_both_sides_of_the_exact_log_partition(scale, degree):
    rng = np.random.default_rng(degree)
    settled = 0
    for _ in range(12):
        graph = loopy(rng, int(rng.integers(2, 4)), scale, degree, zeros=rng.choice([0.0, 0.1]))
        evidence = {"x[0]": 0} if rng.random() < 0.3 else {}
        exact = BruteForce().run(graph, evidence=evidence).log_partition
        upper = TreeReweighted(iterations=3000, tolerance=1e-7).run(graph, evidence=evidence)
        if upper.converged:
            settled += 1
            assert upper.log_partition >= exact - 1e-5
        lower = MeanField().run(graph, evidence=evidence)
        assert lower.converged
        assert -np.inf < lower.log_partition <= exact + 1e-9
        assert lower.flat_beliefs.min() >= 0.0
    assert settled >= 9


def test_bounds_with_constraints_and_derivations():
    for seed in range(6):
        graph = mixed(np.random.default_rng(seed))
        exact = BruteForce().run(graph).log_partition
        upper = TreeReweighted(iterations=3000).run(graph)
        assert upper.converged
        assert upper.log_partition >= exact - 1e-6
        assert upper.log_partition < exact + 3.0
        assert MeanField().run(graph).log_partition <= exact + 1e-9


def test_a_tight_bound_is_better_than_none():
    """In weakly coupled graphs both bounds are near, and the marginals good."""
    graph = loopy(np.random.default_rng(0), 3, 0.3)
    exact = BruteForce().run(graph)
    upper, lower = TreeReweighted(damping=0.3).run(graph), MeanField().run(graph)
    assert exact.log_partition - 0.2 < lower.log_partition < exact.log_partition < upper.log_partition
    assert upper.log_partition < exact.log_partition + 0.2
    for result in (upper, lower):
        np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(exact.beliefs), atol=0.05)


@pytest.mark.parametrize("schedule", ["parallel", "serial", "residual"])
def test_without_cycles_it_is_belief_propagation(schedule):
    rng = np.random.default_rng(4)
    checked = 0
    while checked < 15:
        graph = random_acyclic_graph(rng, zeros=0.1)
        log_z, expected = marginals_of(joint_log(graph))
        if log_z == -np.inf:
            with pytest.raises(ContradictionError):
                TreeReweighted(schedule=schedule).run(graph)
            continue
        checked += 1
        assert all((share == 1.0).all() for share in appearance_probabilities(graph, forests=3).values())
        result = TreeReweighted(schedule=schedule, damping=0.0).run(graph)
        assert result.converged
        assert result.log_partition == pytest.approx(log_z, abs=1e-9)
        np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(expected), atol=1e-9)


@pytest.mark.parametrize("kind", ["tables", "parse"])
def test_counting_numbers_of_1_are_belief_propagation(kind):
    graph = random_loopy_graph(np.random.default_rng(3), kind)
    plain = BeliefPropagation(iterations=300).run(graph)
    fractional = FractionalBeliefPropagation(counting=1.0, iterations=300).run(graph)
    assert fractional.log_partition == pytest.approx(plain.log_partition, abs=1e-9)
    assert fractional.bethe_entropy == pytest.approx(plain.bethe_entropy, abs=1e-8)
    np.testing.assert_allclose(fractional.flat_beliefs, plain.flat_beliefs, atol=1e-9)


def test_a_fixed_point_is_consistent_and_stationary():
    """Marginals of factors are the beliefs of variables, and log Z is energy plus the reweighted entropy."""
    graph = loopy(np.random.default_rng(2), 3, 0.7, degree=3)
    result = FractionalBeliefPropagation(counting=0.6, iterations=2000, tolerance=1e-12, damping=0.3).run(graph)
    assert result.converged
    assert result.disagreement < 1e-9
    energy = sum((result.belief(family) * family.potentials).sum() for family in graph.families)
    assert result.log_partition == pytest.approx(energy + result.bethe_entropy, abs=1e-8)


def test_many_copies_of_a_pair_count_as_one():
    """Five equal tables over one pair, counted 1/5 each, are one table of five times the log-potentials: exact."""
    rng = np.random.default_rng(1)
    table = rng.normal(size=(3, 2))
    graph = FactorGraph()
    x, y = graph.variable("x", 3), graph.variable("y", 2)
    family = graph.add(Table([graph["x"], graph["y"]], table))
    for _ in range(4):
        graph.add(Table([x, y], table))
    assert not is_acyclic(graph)
    exact = BruteForce().run(graph)
    result = FractionalBeliefPropagation(counting=0.2, damping=0.5).run(graph)
    assert result.log_partition == pytest.approx(exact.log_partition, abs=1e-7)
    np.testing.assert_allclose(np.concatenate(result.beliefs), np.concatenate(exact.beliefs), atol=1e-7)
    shares = appearance_probabilities(graph, forests=10)
    assert shares[family].tolist() == [0.2]


def test_every_factor_is_in_some_forest():
    rng = np.random.default_rng(0)
    for _ in range(10):
        graph = loopy(rng, 2, 1.0, degree=4)
        shares = appearance_probabilities(graph, forests=1, seed=rng)
        assert all(((share > 0.0) & (share <= 1.0)).all() for share in shares.values())
        assert (shares[graph.families[-1]] == 1.0).all()  # of one variable
    arcs = FactorGraph()
    x = arcs.variables("arc", (4, 3))
    tree = arcs.add(ProjectiveTree(x))
    pairs = arcs.add(BothOn(x.ravel()[[[0, 4], [1, 5]]], [0.5, 0.5]))
    shares = appearance_probabilities(arcs)
    assert shares[tree] + shares[pairs][0] <= 1.0 + 1e-12  # both at once close a cycle


def test_counting_numbers_that_cannot_be_are_refused():
    graph = loopy(np.random.default_rng(0), 2, 1.0)
    family = graph.families[0]
    other = Table(np.arange(2), np.eye(2))
    for counting, what in (
        (0.0, "positive"), (-1.0, "positive"), (np.nan, "positive"), ({family: [1.0, 2.0]}, "shape"),
        ({other: 1.0}, "not a family"),
    ):  # fmt: skip
        with pytest.raises(FactorGraphError, match=what):
            FractionalBeliefPropagation(counting=counting).run(graph)


def test_mean_field_of_constraints_starts_from_what_they_allow():
    graph = FactorGraph()
    x = graph.variables("x", 4)
    graph.add(ExactlyOne(x[[[0, 1, 2, 3]]]))
    graph.add(Table(x[[[0], [1], [2], [3]]], [[0.0, 1.0], [0.0, 3.0], [0.0, 2.0], [0.0, 0.0]]))
    result = MeanField().run(graph)
    assert result.assignment().tolist() == [0, 1, 0, 0]
    assert result.log_partition == pytest.approx(3.0)
    with pytest.raises(ContradictionError):
        MeanField().run(graph, evidence={x[0]: 1, x[1]: 1})


def test_mean_field_of_independent_variables_is_exact():
    graph = FactorGraph()
    x = graph.variables("x", 3, 4)
    graph.add(Table(x[[[0], [1], [2]]], np.random.default_rng(0).normal(size=(3, 4))))
    exact = BruteForce().run(graph)
    result = MeanField().run(graph)
    assert result.log_partition == pytest.approx(exact.log_partition, abs=1e-12)
    np.testing.assert_allclose(result.belief(x), exact.belief(x), atol=1e-12)
    np.testing.assert_allclose(result.belief("x"), exact.belief(x), atol=1e-12)

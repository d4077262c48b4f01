"""The exact backward pass of unrolled belief propagation, through every schedule, with and without damping."""

import numpy as np
import pytest

from autodiff import check_gradients
from oracles.factor_graphs import random_acyclic_graph, random_loopy_graph
from pgm import FactorGraph, PotentialError, UnrolledBeliefPropagation
from pgm.factors import BothOn, Table

SCHEDULES = ["parallel", "tree", "residual"]


def potentials_of(graph):
    return [family.potentials for family in graph.families if family.potentials is not None]


@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kind", ["tables", "parse"])
def test_gradients_of_unrolled_propagation(kind, schedule, damping):
    graph = random_loopy_graph(np.random.default_rng(11), kind)
    module = UnrolledBeliefPropagation(graph, iterations=3, schedule=schedule, damping=damping)
    check_gradients(module, *potentials_of(graph), tolerance=1e-6).raise_if_failed()


@pytest.mark.parametrize("schedule", ["parallel", "tree"])
def test_gradients_on_graphs_with_all_kinds_of_factors(schedule):
    rng = np.random.default_rng(2)
    checked = 0
    while checked < 6:
        graph = random_acyclic_graph(rng, zeros=0.1)
        module = UnrolledBeliefPropagation(graph, iterations=2, schedule=schedule)
        try:
            module.forward(*potentials_of(graph))
        except ValueError:  # a contradiction
            continue
        if potentials_of(graph):
            check_gradients(module, *potentials_of(graph), tolerance=1e-6).raise_if_failed()
            checked += 1


def test_variables_only_gives_the_same_beliefs_and_gradients():
    graph = random_loopy_graph(np.random.default_rng(4), "parse")
    inputs = potentials_of(graph)
    whole = UnrolledBeliefPropagation(graph, iterations=4, schedule="tree")
    part = UnrolledBeliefPropagation(graph, iterations=4, schedule="tree", variables_only=True)
    (beliefs, *others), of_whole = whole.forward(*inputs)
    part_of_them, of_part = part.forward(*inputs)
    np.testing.assert_array_equal(part_of_them, beliefs)
    adjoint = np.random.default_rng(0).normal(size=beliefs.shape)
    for a, b in zip(of_part(adjoint), of_whole(adjoint, *[None] * len(others)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)


def test_evidence_blocks_gradients():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    module = UnrolledBeliefPropagation(graph, iterations=3, evidence={"x0": 1})
    check_gradients(module, *potentials_of(graph)).raise_if_failed()


def test_a_second_pass_is_not_disturbed_by_the_first():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    inputs = potentials_of(graph)
    module = UnrolledBeliefPropagation(graph, iterations=3)
    fresh, backward = module.forward(*inputs)
    ones = [np.ones_like(x) for x in fresh]
    once = backward(*ones)
    module.forward(*[x + 1.0 for x in inputs])[1](*ones)
    again, backward_again = module.forward(*inputs)
    for late in (backward, backward_again):
        for a, b in zip([*fresh, *once], [*again, *late(*ones)], strict=True):
            np.testing.assert_array_equal(a, b)


def test_three_representations_of_the_same_pairs_agree():
    """Plain odds, log-odds and general tables: BothOn with small and with large potentials, and as tables."""
    rng = np.random.default_rng(0)
    pairs = np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 0]])
    for scale in (1.0, 60.0, 250.0):
        rewards = scale * rng.normal(size=6)
        outputs = []
        for make in (
            lambda x, rewards=rewards: BothOn(x[pairs], rewards),
            lambda x, rewards=rewards: Table(x[pairs], _as_tables(rewards)),
            lambda x, rewards=rewards: Table(x[pairs], _as_tables(rewards, zero=True)),
        ):
            graph = FactorGraph()
            x = graph.variables("x", shape=(6,))
            graph.add(make(x))
            graph.add(Table(x[[[5, 0]]], [[0.0, -np.inf], [0.0, 0.0]]))
            module = UnrolledBeliefPropagation(graph, iterations=5, variables_only=True)
            beliefs, backward = module.forward(*potentials_of(graph))
            outputs.append((beliefs, backward(np.arange(12.0))[0]))
        np.testing.assert_allclose(outputs[0][0], outputs[1][0], atol=1e-12)
        np.testing.assert_allclose(outputs[0][0], outputs[2][0], atol=1e-12)
        np.testing.assert_allclose(outputs[0][1], outputs[1][1][:, 1, 1], atol=1e-10)


def _as_tables(rewards, zero=False):
    """With `zero`, a seventh table that forbids nothing new keeps the family from the channel for soft tables."""
    tables = np.zeros((len(rewards), 2, 2))
    tables[:, 1, 1] = rewards
    if zero:
        tables -= 400.0 * np.arange(len(rewards))[:, None, None]
    return tables


def test_wrong_potentials_are_refused():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    module = UnrolledBeliefPropagation(graph, iterations=1)
    inputs = potentials_of(graph)
    with pytest.raises(PotentialError, match="arrays were given"):
        module.forward(*inputs[:-1])
    with pytest.raises(PotentialError, match="shape"):
        module.forward(*inputs[:-1], np.zeros(7))
    with pytest.raises(PotentialError, match="NaN"):
        module.forward(*inputs[:-1], np.full_like(inputs[-1], np.nan))

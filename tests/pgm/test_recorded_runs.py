"""The exact backward pass of recorded runs: through every schedule, with and without damping, and exact methods."""

import numpy as np
import pytest

from autodiff import check_gradients
from oracles.factor_graphs import random_acyclic_graph, random_loopy_graph
from oracles.table_graphs import random_table_graph
from pgm import BeliefPropagation, FactorGraph, InferenceModule, MeanField, PotentialError, UnavailableError
from pgm.exact import BruteForce, JunctionTree
from pgm.factors import BothOn, Table

SCHEDULES = ["parallel", "serial", "residual"]


def potentials_of(graph):
    return [family.potentials for family in graph.families if family.potentials is not None]


@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("kind", ["tables", "parse"])
def test_gradients_of_unrolled_propagation(kind, schedule, damping):
    graph = random_loopy_graph(np.random.default_rng(11), kind)
    module = InferenceModule(graph, BeliefPropagation(iterations=3, schedule=schedule, damping=damping))
    check_gradients(module, *potentials_of(graph), tolerance=1e-6).raise_if_failed()


@pytest.mark.parametrize("schedule", ["parallel", "serial"])
def test_gradients_on_graphs_with_all_kinds_of_factors(schedule):
    rng = np.random.default_rng(2)
    checked = 0
    while checked < 6:
        graph = random_acyclic_graph(rng, zeros=0.1)
        module = InferenceModule(graph, BeliefPropagation(iterations=2, schedule=schedule))
        try:
            module.forward(*potentials_of(graph))
        except ValueError:  # a contradiction
            continue
        if potentials_of(graph):
            check_gradients(module, *potentials_of(graph), tolerance=1e-6).raise_if_failed()
            checked += 1


def test_adjoints_by_family_are_those_of_the_module():
    graph = random_loopy_graph(np.random.default_rng(4), "parse")
    propagation = BeliefPropagation(iterations=4, schedule="serial")
    module = InferenceModule(graph, propagation)
    outputs, backward = module.forward(*potentials_of(graph))
    beliefs, *of_factors, log_partition = outputs
    result = propagation.run(graph, record=True)
    np.testing.assert_array_equal(result.flat_beliefs, beliefs)
    assert result.log_partition == log_partition
    for found, expected in zip(result.factor_beliefs.values(), of_factors, strict=True):
        np.testing.assert_array_equal(found, expected)
    rng = np.random.default_rng(0)
    on_beliefs, on_factors = rng.normal(size=beliefs.shape), [rng.normal(size=x.shape) for x in of_factors]
    parts = [
        result.backward(beliefs=on_beliefs),
        result.backward(factor_beliefs=dict(zip(result.factor_beliefs, on_factors, strict=True))),
        result.backward(log_partition=2.0),
    ]
    for family, expected in zip(parts[0], backward(on_beliefs, *on_factors, 2.0), strict=True):
        np.testing.assert_allclose(sum(part[family] for part in parts), expected, atol=1e-12)


def test_beliefs_of_variables_alone_run_no_factor_again(monkeypatch):
    """What comes from factors costs another run of them, which only those pay who ask for it."""
    graph = random_loopy_graph(np.random.default_rng(4), "parse")
    result = BeliefPropagation(iterations=4, tolerance=0.0).run(graph, record=True)
    monkeypatch.setattr(type(result.passing), "runs", lambda self: pytest.fail("the factors are run"))
    result.backward(beliefs=np.ones_like(result.flat_beliefs))


def test_looking_for_an_assignment_does_not_disturb_the_way_back():
    """Exactly one of three variables that are all alike: settled one after another."""
    graph = FactorGraph()
    x = graph.variables("x", 4)
    graph.add(Table(x[[[0, 1], [1, 2], [2, 3], [3, 0]]], [[0.0, 1.0], [1.0, -np.inf]]))
    result = BeliefPropagation(iterations=3).run(graph, record=True)
    (before,) = result.backward(log_partition=1.0).values()
    assert graph.score(result.assignment()) > -np.inf
    (after,) = result.backward(log_partition=1.0).values()
    np.testing.assert_array_equal(before, after)


def test_a_run_that_is_not_recorded_keeps_no_tape():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    result = BeliefPropagation(iterations=3).run(graph)
    assert result.passing.tape == []
    with pytest.raises(UnavailableError, match="record=True"):
        result.backward(log_partition=1.0)
    with pytest.raises(UnavailableError, match="mode='sum'"):
        BeliefPropagation(mode="max").run(graph, record=True)


def test_a_recorded_run_uses_all_iterations():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    result = BeliefPropagation(iterations=300, tolerance=1e-3).run(graph, record=True)
    assert result.iterations == 300
    assert result.converged
    assert 0.0 <= result.residual < 1e-10


@pytest.mark.parametrize("method", [JunctionTree(), BruteForce()])
def test_exact_methods_go_back_from_the_log_partition(method):
    rng = np.random.default_rng(1)
    for _ in range(5):
        graph = random_table_graph(rng)
        result = method.run(graph)
        found = result.backward(log_partition=3.0)
        assert list(found) == graph.families
        step = 1e-5
        direction = [np.where(p == -np.inf, 0.0, rng.normal(size=p.shape)) for p in potentials_of(graph)]
        ends = [
            method.run(graph, potentials=[
                p + sign * step * d for p, d in zip(potentials_of(graph), direction, strict=True)
            ]).log_partition
            for sign in (1, -1)
        ]  # fmt: skip
        slope = sum(float((a * d).sum()) for a, d in zip(found.values(), direction, strict=True))
        assert slope == pytest.approx(3.0 * (ends[0] - ends[1]) / (2 * step), abs=1e-6)
        with pytest.raises(UnavailableError, match="not from beliefs"):
            result.backward(beliefs=result.flat_beliefs)


def test_a_module_needs_a_method_that_can_go_back():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    with pytest.raises(UnavailableError, match="go back"):
        InferenceModule(graph, MeanField())


@pytest.mark.parametrize("method", [JunctionTree(), BruteForce(), BeliefPropagation(schedule="serial", mode="max")])
def test_potentials_of_a_run_are_used_in_place_of_those_of_the_families(method):
    rng = np.random.default_rng(2)
    graph = random_acyclic_graph(rng, zeros=0.0)
    assert any(family.potentials is None for family in graph.families)
    given = [None if f.potentials is None else rng.normal(size=f.potentials.shape) for f in graph.families]
    before = [p.copy() for p in potentials_of(graph)]
    result = method.run(graph, potentials=given)
    own = method.run(graph)
    for family, values in zip(graph.families, given, strict=True):
        if values is not None:
            family.log_potentials = values
    expected = method.run(graph)
    np.testing.assert_array_equal(result.flat_beliefs, expected.flat_beliefs)
    np.testing.assert_array_equal(result.assignment(), expected.assignment())
    for family, values in zip([f for f in graph.families if f.potentials is not None], before, strict=True):
        family.log_potentials = values
    assert result.score == pytest.approx(graph.score(expected.assignment(), potentials=given))
    np.testing.assert_array_equal(own.flat_beliefs, method.run(graph).flat_beliefs)


def test_evidence_blocks_gradients():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    module = InferenceModule(graph, BeliefPropagation(iterations=3), evidence={"x0": 1})
    check_gradients(module, *potentials_of(graph)).raise_if_failed()


def test_a_second_pass_is_not_disturbed_by_the_first():
    graph = random_loopy_graph(np.random.default_rng(4), "tables")
    inputs = potentials_of(graph)
    module = InferenceModule(graph, BeliefPropagation(iterations=3))
    fresh, backward = module.forward(*inputs)
    once = backward(*[np.ones_like(x) for x in fresh])
    module.forward(*[x + 1.0 for x in inputs])[1](*[np.ones_like(x) for x in fresh])
    again, backward_again = module.forward(*inputs)
    twice = backward_again(*[np.ones_like(x) for x in fresh])
    for a, b in zip([*fresh, *once], [*again, *twice], strict=True):
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
            result = BeliefPropagation(iterations=5).run(graph, record=True)
            adjoint = result.backward(beliefs=np.arange(12.0))[graph.families[0]]
            outputs.append((result.flat_beliefs, adjoint))
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
    inputs = potentials_of(graph)
    with pytest.raises(PotentialError, match="arrays were given"):
        InferenceModule(graph, BeliefPropagation(iterations=1)).forward(*inputs[:-1])
    given = [family.potentials for family in graph.families]
    hard = next(number for number, values in enumerate(given) if values is None)
    for method in (BeliefPropagation(iterations=1), JunctionTree(), BruteForce()):
        for wrong, match in [
            (given[:-1], "one for each"),
            ([*given[:-1], np.zeros(7)], "shape"),
            ([*given[:-1], np.full_like(given[-1], np.nan)], "NaN"),
            ([*given[:hard], np.zeros(3), *given[hard + 1 :]], "no log-potentials"),
        ]:
            with pytest.raises(PotentialError, match=match):
                method.run(graph, potentials=wrong)

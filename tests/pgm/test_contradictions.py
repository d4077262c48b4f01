"""Graphs without a solution: belief propagation says so, with every schedule, in both modes, and as a module."""

import inspect

import numpy as np
import pytest

import pgm.factors
from oracles.factor_graphs import random_acyclic_graph
from oracles.joint import joint_log
from pgm import (
    BeliefPropagation,
    ContradictionError,
    Factor,
    FactorCheckError,
    FactorGraph,
    InferenceModule,
    check_factor,
)
from pgm.factors import ExactlyOne, LinearChainFactor, Table

SCHEDULES = ["parallel", "serial", "residual"]
KINDS = [kind for name in pgm.factors.__all__ if inspect.isclass(kind := getattr(pgm.factors, name))]


def refuses(graph):
    """All ways of passing messages find the contradiction."""
    for schedule in SCHEDULES:
        for mode in ("sum", "max"):
            with pytest.raises(ContradictionError):
                BeliefPropagation(schedule=schedule, mode=mode).run(graph)
        with pytest.raises(ContradictionError):
            BeliefPropagation(schedule=schedule, damping=0.4).run(graph)
        potentials = [family.potentials for family in graph.families if family.potentials is not None]
        propagation = BeliefPropagation(schedule=schedule, iterations=20)
        with pytest.raises(ContradictionError):
            propagation.run(graph, record=True)
        with pytest.raises(ContradictionError):
            InferenceModule(graph, propagation).forward(*potentials)


def graph_around(factor: Factor, rng, zeros: float) -> FactorGraph:
    """A graph without cycles: one factor, tables of its variables, and further variables that hang on them."""
    graph = FactorGraph()
    for d, states in enumerate(factor.cardinalities):
        graph.variable(f"x{d}", states)
    for d, states in enumerate(factor.cardinalities):
        if rng.random() < 0.6:
            table = np.where(rng.random(states) < zeros, -np.inf, rng.normal(size=states))
            graph.add(Table([graph[f"x{d}"]], table))
        if d < 2:
            other = graph.variable(f"y{d}", 3)
            table = np.where(rng.random((states, 3)) < zeros, -np.inf, rng.normal(size=(states, 3)))
            graph.add(Table([graph[f"x{d}"], other], table))
    one = factor.take(np.array([0]))
    one.variables = np.arange(factor.degree)[None]
    graph.add(one)
    return graph


@pytest.mark.parametrize("kind", [kind for kind in KINDS if issubclass(kind, Factor)], ids=lambda kind: kind.__name__)
def test_every_factor_in_graphs_without_cycles(kind):
    rng = np.random.default_rng(3)
    examples = [f for f in kind.examples(rng) if f.degree >= 2 and np.prod(f.cardinalities) <= 5000]
    seen = {True: 0, False: 0}
    for trial in range(24):
        graph = graph_around(examples[trial % len(examples)], rng, zeros=rng.choice([0.2, 0.4, 0.6]))
        solvable = joint_log(graph).max() > -np.inf
        seen[solvable] += 1
        if solvable:
            assert np.isfinite(BeliefPropagation().run(graph).log_partition)
        else:
            refuses(graph)
    assert seen[False] >= 3, seen


def test_random_graphs_without_cycles():
    rng = np.random.default_rng(8)
    found = 0
    while found < 40:
        graph = random_acyclic_graph(rng, zeros=0.5)
        if joint_log(graph).max() == -np.inf:
            refuses(graph)
            found += 1


def test_evidence_against_a_chain():
    graph = FactorGraph()
    tags = graph.variables("tag", 4, 2)
    chain = graph.add(LinearChainFactor(tags, [[0.0, -np.inf], [-np.inf, 0.0]], shared=True))  # all the same
    evidence = {tags[0]: 0, tags[3]: 1}
    for schedule in SCHEDULES:
        with pytest.raises(ContradictionError, match="LinearChainFactor"):
            BeliefPropagation(schedule=schedule).run(graph, evidence=evidence)
        module = InferenceModule(graph, BeliefPropagation(iterations=1, schedule=schedule), evidence=evidence)
        with pytest.raises(ContradictionError):
            module.forward(chain.potentials)


def test_a_contradiction_that_the_variables_do_not_know_yet():
    """After one round of flooding the two ends of the chain have not heard of each other."""
    graph = FactorGraph()
    x = graph.variables("x", 4)
    graph.add(Table(x[[[0, 1], [1, 2], [2, 3]]], [[0.0, -np.inf], [-np.inf, 0.0]]))
    result = BeliefPropagation(iterations=1).run(graph, evidence={x[0]: 0, x[3]: 1})
    assert not result.converged
    with pytest.raises(ContradictionError, match="Table"):
        _ = result.log_partition
    with pytest.raises(ContradictionError):
        BeliefPropagation(iterations=3).run(graph, evidence={x[0]: 0, x[3]: 1})


class Silent(LinearChainFactor):
    """Says nothing of contradictions."""

    def run(self, incoming, prepared):
        run = super().run(incoming, prepared)
        run.done.messages[~run.done.possible] = 0.0
        return run


class SilentMaximum(ExactlyOne):
    """Says nothing of contradictions in max-product."""

    def max_messages(self, incoming, prepared):
        result = super().max_messages(incoming, prepared)
        return np.where(np.isneginf(self.run(incoming, prepared).log_partition)[:, None], 0.0, result)


class Hopeful(ExactlyOne):
    """Finds a little hope where there is none."""

    def run(self, incoming, prepared):
        run = super().run(incoming, prepared)
        run.__dict__["log_partition"] = np.maximum(run.log_partition, -1e5)
        return run


def test_check_factor_sees_a_factor_that_hides_contradictions():
    with pytest.raises(FactorCheckError, match=r": messages are .* contradict"):
        check_factor(Silent(np.arange(3), np.where(np.eye(2) > 0, 0.0, -np.inf)))
    with pytest.raises(FactorCheckError, match=r": max_messages are .* contradict"):
        check_factor(SilentMaximum(np.arange(3)))
    with pytest.raises(FactorCheckError, match="log_partition of messages that contradict it"):
        check_factor(Hopeful(np.arange(3)))


def test_check_factor_refuses_what_is_too_large_to_enumerate():
    with pytest.raises(FactorCheckError, match=f"{2**42} joint assignments"):
        check_factor(ExactlyOne(np.arange(42)))
    with pytest.raises(FactorCheckError, match=f"{1000 * 2**11} joint assignments in all"):
        check_factor(ExactlyOne(np.arange(11_000).reshape(1000, 11)))

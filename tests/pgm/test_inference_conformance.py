"""Every inference method on the same small graphs: what it gives is right, and what it cannot give it says alike."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import pgm
from oracles.factor_graphs import random_acyclic_graph
from oracles.joint import joint_log
from pgm import ContradictionError, FactorGraph, Inference, InferenceResult, UnavailableError
from pgm.factors import ExactlyOne, Table

GRAPHS = 12
SAMPLED = 1e-3  # error_on_trees above which a method samples, and may be slow where there are zeros


def methods() -> list[Inference]:
    """The examples of every method that there is, found rather than listed."""
    found = set()
    for module in pkgutil.walk_packages(pgm.__path__, "pgm."):
        for _, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, Inference) and not inspect.isabstract(value):
                found.add(value)
    return [example for kind in sorted(found, key=lambda kind: kind.__name__) for example in kind.examples()]


ALL = methods()
EVERY = pytest.mark.parametrize("method", ALL, ids=lambda method: type(method).__name__)


def graphs():
    """Solvable graphs without cycles, with evidence of a possible state: the first few without zeros, of pairs."""
    rng = np.random.default_rng(6)
    made = []
    while len(made) < GRAPHS:
        graph = random_acyclic_graph(rng, zeros=0.15) if len(made) >= GRAPHS // 3 else soft_tree(rng)
        joint = joint_log(graph)
        if joint.max() > -np.inf:
            best = np.unravel_index(int(joint.argmax()), joint.shape)
            made.append((graph, {}, joint))
            made.append((graph, {0: int(best[0])}, joint_log(graph, {0: int(best[0])})))
    return made


def soft_tree(rng):
    graph = FactorGraph()
    x = [graph.variable(f"x{i}", int(rng.integers(2, 4))) for i in range(5)]
    for i in range(1, 5):
        pair = [x[i], x[int(rng.integers(i))]]
        graph.add(Table(pair, rng.normal(size=[v.cardinality for v in pair])))
    return graph


SMALL = graphs()


def given_or_none(ask):
    """What is asked, or None where the method says that it has no such thing, and which do."""
    try:
        return ask()
    except UnavailableError as error:
        if " ask " not in str(error):
            raise
        return None


def test_all_are_here():
    assert {type(method).__name__ for method in ALL} >= {
        "BeliefPropagation", "BruteForce", "DeterministicAnnealing", "FractionalBeliefPropagation", "Gibbs",
        "JunctionTree", "LinearProgram", "MeanField", "TreeReweighted",
    }  # fmt: skip


@EVERY
def test_beliefs_log_partition_and_assignment_on_graphs_without_cycles(method):
    for graph, evidence, joint in SMALL:
        result = method.run(graph, evidence=evidence)
        assert isinstance(result, InferenceResult)
        assert result.graph is graph
        exact_total = np.logaddexp.reduce(joint.ravel())
        weights = np.exp(joint - exact_total)
        flat = given_or_none(lambda result=result: result.flat_beliefs)
        if flat is not None:
            expected = [weights.sum(axis=tuple(a for a in range(joint.ndim) if a != v)) for v in range(joint.ndim)]
            assert flat.shape == (graph.state_starts[-1],)
            assert [len(belief) for belief in result.beliefs] == graph.cardinalities.tolist()
            np.testing.assert_allclose([belief.sum() for belief in result.beliefs], 1.0, atol=1e-9)
            if method.error_on_trees < SAMPLED or joint.min() > -np.inf:
                assert np.abs(flat - np.concatenate(expected)).max() <= method.error_on_trees
            np.testing.assert_array_equal(result.belief(0), result.beliefs[0])
            assert all(result.beliefs[v][state] == pytest.approx(1.0) for v, state in evidence.items())
        log_partition = given_or_none(lambda result=result: result.log_partition)
        if log_partition is not None:
            if method.error_on_trees < np.inf:
                assert log_partition == pytest.approx(exact_total, abs=1e-6)
            else:
                assert log_partition <= exact_total + 1e-9
        assignment = given_or_none(result.assignment)
        if assignment is not None:
            assert assignment.dtype == np.int64
            assert result.score == pytest.approx(graph.score(assignment))
            assert result.score <= joint.max() + 1e-9
            assert all(assignment[v] == state for v, state in evidence.items())
            assert list(result.states().values()) == [
                graph.variable_at(v).states[state] for v, state in enumerate(assignment)
            ]
        assert result.converged in (True, False, None)


@EVERY
def test_factor_beliefs_are_in_the_shape_of_the_potentials(method):
    rng = np.random.default_rng(3)
    graph = FactorGraph()
    x = graph.variables("x", 4)
    tables = [graph.add(Table(x[[[0], [2], [3]]], rng.normal(size=(3, 2)))),
              graph.add(Table(x[[[0, 1], [2, 0]]], rng.normal(size=(2, 2, 2))))]  # fmt: skip
    hard = graph.add(ExactlyOne([x[2], x[3]]))
    joint = joint_log(graph)
    weights = np.exp(joint - np.logaddexp.reduce(joint.ravel()))
    result = method.run(graph)
    found = given_or_none(lambda: result.factor_beliefs)
    if found is None:
        with pytest.raises(UnavailableError, match="ask"):
            result.belief(tables[0])
        return
    assert list(found) == tables
    for family in tables:
        np.testing.assert_array_equal(found[family], result.belief(family))
        for row, variables in enumerate(family.variables.tolist()):
            others = tuple(v for v in range(4) if v not in variables)
            expected = weights.sum(axis=others).transpose(np.argsort(np.argsort(variables)))
            np.testing.assert_allclose(found[family][row], expected, atol=1e-6)
    assert len(result.belief(hard)) == 1
    back = given_or_none(lambda: result.backward(log_partition=1.0))
    if back is not None:
        for family in tables:
            np.testing.assert_allclose(back[family], found[family], atol=1e-6)


@EVERY
def test_a_contradiction_is_an_error_of_the_run(method):
    graph = FactorGraph()
    x = graph.variables("x", 3)
    graph.add(Table(x[[[0, 1], [1, 2]]], [[0.0, -np.inf], [-np.inf, 0.0]]))  # all the same
    with pytest.raises(ContradictionError):
        method.run(graph, evidence={x[0]: 0, x[2]: 1})


@EVERY
def test_settings_are_frozen_values(method):
    assert method == type(method)(**{name: value for name, value in vars_of(method).items()})
    assert hash(method) == hash(type(method)(**vars_of(method)))
    name = next(iter(vars_of(method)))
    with pytest.raises(AttributeError):
        setattr(method, name, 1)


def vars_of(method):
    return {field.name: getattr(method, field.name) for field in type(method).__attrs_attrs__}

"""Good calls of the factors of `pgm`."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff import Circuit, Parameter
from autodiff.modules import Linear
from fuzz.pgm_graphs import answers, draws
from fuzz.recipe import Case, recipe
from hypergraph.structures import Grammar
from pgm import FactorGraph, factors


def _binary(make: Callable[..., Any], count: int = 3, **arguments: Any) -> Case:
    """A factor over binary variables with a table of one for each of them."""

    def use(biases: Any, **arguments: Any) -> Any:
        graph = FactorGraph()
        x = graph.variables("x", count)
        graph.add(factors.Table(x[np.arange(count)[:, None]], biases))
        graph.add(make(x, **arguments))
        return answers(graph), answers(graph, mode="max")[0]

    return Case(use, biases=draws(count, 2), **arguments)


for _constraint, _count in (
    (factors.AndWithOutput, 3), (factors.AtMostOne, 3), (factors.ExactlyOne, 3), (factors.Imply, 2), (factors.Nand, 3),
    (factors.Or, 3), (factors.OrWithOutput, 3), (factors.Parity, 3), (factors.XorWithOutput, 3),
):  # fmt: skip
    recipe(f"pgm.factors.{_constraint.__name__}")(
        lambda kind=_constraint, count=_count: [_binary(kind, count, negated=np.zeros(count, dtype=bool))]
    )


@recipe("pgm.factors.Budget")
def budget() -> Iterable[Case]:
    yield _binary(factors.Budget, limit=2, negated=np.zeros(3, dtype=bool))


@recipe("pgm.factors.BothOn")
def both_on() -> Iterable[Case]:
    yield _binary(
        lambda x, log_potentials: factors.BothOn(x[[[0, 1], [1, 2]]], log_potentials), log_potentials=draws(2)
    )


@recipe("pgm.factors.ChildSequence")
def child_sequence() -> Iterable[Case]:
    yield _binary(factors.ChildSequence, log_potentials=draws(1, 4, 4))


@recipe("pgm.factors.Constituency", "pgm.factors.all_spans")
def constituency() -> Iterable[Case]:
    spans = factors.all_spans(3)

    def make(x: Any, n: Any, starts: Any, ends: Any) -> Any:
        factors.all_spans(n)
        return factors.Constituency(x, n, starts, ends)

    pairs = np.array([tuple(pair) for pair in spans])
    yield _binary(make, len(pairs), n=3, starts=pairs[:, 0].copy(), ends=pairs[:, 1].copy())


@recipe("pgm.factors.LabelledConstituency")
def labelled_constituency() -> Iterable[Case]:
    grammar = Grammar(["S"], [("S", "N", "S"), ("N", "N", "N")])

    def use(rules: Any, n: int) -> Any:
        graph = FactorGraph()
        spans = graph.variables("span", 3, states=3)
        graph.add(factors.LabelledConstituency(spans, grammar, n, rules))
        return answers(graph)[:2]

    yield Case(use, rules=draws(2), n=2)


def _arcs(make: Callable[..., Any], **arguments: Any) -> Case:
    def use(biases: Any, **arguments: Any) -> Any:
        graph = FactorGraph()
        arcs = graph.variables("arc", (4, 3))
        graph.add(factors.Table(arcs.ravel()[np.arange(12)[:, None]], biases))
        graph.add(make(arcs, **arguments))
        return answers(graph), answers(graph, mode="max")[0]

    return Case(use, biases=draws(12, 2), **arguments)


for _tree in (factors.Tree, factors.ProjectiveTree):
    recipe(f"pgm.factors.{_tree.__name__}")(lambda kind=_tree: [_arcs(kind, roots="one"), _arcs(kind, roots="any")])
for _pairs in (factors.not_two, factors.no_two_cycle):
    recipe(f"pgm.factors.{_pairs.__name__}")(lambda make=_pairs: [_arcs(make)])


@recipe("pgm.factors.ExactDependency")
def exact_dependency() -> Iterable[Case]:
    yield _arcs(factors.ExactDependency, grandparents=draws(4, 4, 4), siblings=draws(4, 4, 4))


@recipe("pgm.factors.NoCross")
def no_cross() -> Iterable[Case]:
    yield _binary(
        lambda x, **given: factors.NoCross(x[[[0, 1, 2, 3]]], **given), 4,
        heads=np.array([[0, 3, 0, 1]]), modifiers=np.array([[2, 2, 4, 4]]), log_potentials=draws(1),
    )  # fmt: skip


def _states(make: Callable[..., Any], **arguments: Any) -> Case:
    def use(biases: Any, **arguments: Any) -> Any:
        graph = FactorGraph()
        x = graph.variables("x", 4, states=3)
        graph.add(factors.Table(x[np.arange(4)[:, None]], biases))
        graph.add(make(x, **arguments))
        return answers(graph), answers(graph, mode="max")[0]

    return Case(use, biases=draws(4, 3), **arguments)


@recipe("pgm.factors.LinearChainFactor")
def linear_chain() -> Iterable[Case]:
    yield _states(factors.LinearChainFactor, transitions=draws(3, 3, 3))


@recipe("pgm.factors.Trigram")
def trigram() -> Iterable[Case]:
    yield _states(factors.Trigram, transitions=draws(2, 3, 3, 3))


@recipe("pgm.factors.SegmentationFactor")
def segmentation() -> Iterable[Case]:
    case = next(iter(factors.SegmentationFactor.examples(np.random.default_rng(0))))
    yield _messages(lambda: case)


@recipe("pgm.factors.HypergraphFactor")
def hypergraph_factor() -> Iterable[Case]:
    case = next(iter(factors.HypergraphFactor.examples(np.random.default_rng(0))))
    yield _messages(lambda: case)


def _messages(make: Callable[[], Any]) -> Case:
    """A family over plain numbers: its assignments are what enters."""
    family = make()

    def use(assignment: Any) -> Any:
        return family.score(assignment)

    return Case(use, assignment=np.zeros((family.num_factors, family.degree), dtype=np.int64))


@recipe("pgm.factors.Table")
def table() -> Iterable[Case]:
    yield _states(
        lambda x, log_potentials: factors.Table(x[[[0, 1], [1, 2]]], log_potentials), log_potentials=draws(2, 3, 3)
    )


@recipe("pgm.factors.LogLinear")
def log_linear() -> Iterable[Case]:
    def make(x: Any, features: Any, weights: Any, **sparse: Any) -> Any:
        given = (sparse["indices"], sparse["offsets"]) if sparse else features
        return factors.LogLinear(x[[[0, 1], [1, 2]]], given, Parameter("weights", weights))

    yield _states(make, features=draws(2, 3, 3, 4), weights=draws(4))
    yield _states(make, features=None, weights=draws(4), indices=np.arange(18) % 4, offsets=np.arange(19))


@recipe("pgm.factors.Scored")
def scored() -> Iterable[Case]:
    def make(x: Any, inputs: Any) -> Any:
        circuit = Circuit("scorer")
        circuit.output(circuit.add(Linear(), circuit.input("x"), circuit.parameter("w", draws(2, 3))))
        return factors.Scored(x[[[0], [1]]], circuit, inputs)

    yield _states(make, inputs=draws(2, 2))

"""Flooding on a large binary grid, and on a graph of ternary tables with 3 to 5 states."""

import warnings

import numpy as np

from bench.timing import Table as Columns
from bench.timing import milliseconds, race
from pgm import BeliefPropagation, FactorGraph, InferenceWarning
from pgm.factors import Table

__all__ = ["grid", "run", "ternary"]


def grid(size: int, rng: np.random.Generator) -> FactorGraph:
    """Return a binary grid of size × size with random pairwise and unary tables."""
    graph = FactorGraph()
    pixels = graph.variables("pixel", shape=(size, size))
    index = pixels.index
    across = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1)
    down = np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1)
    pairs = np.concatenate([across, down])
    graph.add(Table(pixels.ravel()[pairs], rng.normal(size=(len(pairs), 2, 2))))
    graph.add(Table(pixels.ravel()[index.reshape(-1, 1)], rng.normal(size=(size * size, 2))))
    return graph


def ternary(variables: int, factors: int, rng: np.random.Generator) -> FactorGraph:
    """Return a graph of tables over three variables with 3 to 5 states, added one by one."""
    graph = FactorGraph()
    members = [graph.variable(f"x{i}", int(rng.integers(3, 6))) for i in range(variables)]
    for _ in range(factors):
        chosen = [members[i] for i in rng.choice(variables, size=3, replace=False)]
        graph.add(Table(chosen, rng.normal(size=[v.cardinality for v in chosen])))
    return graph


def _an_iteration(graph: FactorGraph, iterations: int):
    """Return a function that runs so many iterations, and one that runs none: the difference is the iterations."""
    many = BeliefPropagation(iterations=iterations, tolerance=0)
    none = BeliefPropagation(iterations=0)

    def set_up() -> None:
        with warnings.catch_warnings(action="ignore", category=InferenceWarning):
            none.run(graph)

    return (lambda: many.run(graph)), set_up


def run() -> None:
    rng = np.random.default_rng(0)
    table = Columns("graph", "message entries", "an iteration", "np.exp of as many", "iteration/exp", "set-up")
    for name, graph, iterations in (
        ("100 × 100 binary grid", grid(100, rng), 50),
        ("2,000 variables, 4,000 ternary tables", ternary(2000, 4000, rng), 20),
    ):
        entries = 2 * sum(f.num_factors * int(f.offsets[-1]) for f in graph.families if f.degree > 1)
        numbers = rng.normal(size=entries)
        many, none = _an_iteration(graph, iterations)
        best = race({"many": many, "none": none, "exp": lambda numbers=numbers: np.exp(numbers)}, seconds=3.0)
        each = (best["many"] - best["none"]) / iterations
        table.add(
            name, entries, milliseconds(each), milliseconds(best["exp"]), f"{each / best['exp']:.1f}",
            milliseconds(best["none"]),
        )  # fmt: skip
    print("Belief propagation, sum-product, flooding (both directions of all messages are counted)")
    print(table, end="\n\n")

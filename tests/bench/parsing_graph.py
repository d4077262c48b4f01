"""Second-order parsing: unary, grandparent, arbitrary-sibling and PTREE factors on 10 candidate heads a word."""

import numpy as np

from bench.timing import Table as Columns
from bench.timing import milliseconds, race
from hypergraph.batched import TreeChart
from pgm import BeliefPropagation, FactorGraph
from pgm.factors import BothOn, ProjectiveTree, Table
from pgm.schedules import Serial

__all__ = ["build", "candidates", "run"]


def candidates(n: int, heads_a_word: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return heads and modifiers of candidate arcs: for each word the root, the word before, and others at random."""
    heads, modifiers = [], []
    for m in range(1, n + 1):
        others = [h for h in range(1, n + 1) if h not in (m, m - 1)]
        chosen = {0, m - 1, *rng.permutation(others)[: heads_a_word - 2].tolist()}
        heads += sorted(chosen)
        modifiers += [m] * len(chosen)
    return np.array(heads), np.array(modifiers)


def build(heads: np.ndarray, modifiers: np.ndarray, rng: np.random.Generator) -> tuple[FactorGraph, list[np.ndarray]]:
    """Return the graph of families, from candidate arcs, and its potentials."""
    arcs = np.arange(len(heads))
    # Grandparents: g → h and h → m.  Siblings: h → m and h → s, m before s.
    first, second = np.nonzero(modifiers[:, None] == heads[None, :])
    one, other = np.nonzero((heads[:, None] == heads[None, :]) & (arcs[:, None] < arcs[None, :]))
    graph = FactorGraph()
    variables = graph.variables("arc", shape=(len(heads),))
    unary = np.zeros((len(heads), 2))
    unary[:, 1] = rng.normal(size=len(heads))
    graph.add(Table(variables[arcs[:, None]], unary))
    pairs = np.concatenate([np.stack([first, second], axis=1), np.stack([one, other], axis=1)])
    graph.add(BothOn(variables[pairs], rng.normal(size=len(pairs))))
    graph.add(ProjectiveTree(variables, heads=heads, modifiers=modifiers))
    return graph, [family.potentials for family in graph.families if family.potentials is not None]


def run() -> None:
    table = Columns("n", "arcs", "pairs", "first-order marginals", "build", "forward", "forward + backward",
                    "forward/first order", "both/forward")  # fmt: skip
    for n in (10, 20, 30):
        rng = np.random.default_rng(n)
        heads, modifiers = candidates(n, 10, rng)
        graph, potentials = build(heads, modifiers, rng)
        propagation = BeliefPropagation(iterations=4, tolerance=0.0, schedule=Serial())
        scores = np.full((1, n + 1, n + 1), -np.inf)
        scores[0, heads, modifiers] = potentials[0][:, 1]
        adjoint = rng.normal(size=2 * len(heads))

        given = [*potentials, None]  # the tree has none

        def forward(graph=graph, propagation=propagation, given=given):
            return propagation.run(graph, potentials=given).flat_beliefs

        def both(graph=graph, propagation=propagation, given=given, adjoint=adjoint):
            return propagation.run(graph, potentials=given, record=True).backward(beliefs=adjoint)

        best = race(
            {
                "first order": lambda scores=scores: TreeChart.run(scores).marginals,
                "build": lambda h=heads, m=modifiers, rng=rng: build(h, m, rng),
                "forward": forward,
                "both": both,
            }
        )
        table.add(
            n, len(heads), graph.families[1].num_factors, milliseconds(best["first order"]),
            milliseconds(best["build"]), milliseconds(best["forward"]), milliseconds(best["both"]),
            f"{best['forward'] / best['first order']:.1f}", f"{best['both'] / best['forward']:.1f}",
        )  # fmt: skip
    print("Second-order parsing graph, 10 candidate heads a word, 4 iterations of the tree schedule")
    print(table, end="\n\n")

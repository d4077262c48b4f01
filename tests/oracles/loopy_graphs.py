"""Factor graphs with cycles, one for each way in which messages are held and computed."""

from collections.abc import Callable

import numpy as np

from pgm import FactorGraph
from pgm.factors import (
    AtMostOne,
    BothOn,
    Budget,
    Constituency,
    ExactDependency,
    ExactlyOne,
    LinearChainFactor,
    OrWithOutput,
    ProjectiveTree,
    SegmentationFactor,
    Table,
    Tree,
)

__all__ = ["LOOPY", "swinging_graph"]

Rng = np.random.Generator


def grid_pairs(size: int) -> np.ndarray:
    """Return the pairs of neighbours among size × size numbers."""
    numbers = np.arange(size * size).reshape(size, size)
    across = np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1)
    return np.concatenate([across, np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], axis=1)])


def _singles(x) -> object:
    return x.ravel()[np.arange(x.index.size)[:, None]]


def _grid(rng: Rng, states: int, size: int, coupling: float = 0.5) -> FactorGraph:
    graph = FactorGraph()
    x = graph.variables("x", (size, size), states)
    graph.add(Table(x.ravel()[grid_pairs(size)], coupling * np.eye(states)))
    graph.add(Table(_singles(x), 0.5 * rng.normal(size=(size * size, states))))
    return graph


def _with_zeros(rng: Rng) -> FactorGraph:
    graph = FactorGraph()
    x = graph.variables("x", (4, 4), 3)
    pairs = grid_pairs(4)
    tables = 0.5 * rng.normal(size=(len(pairs), 3, 3))
    tables[rng.random(tables.shape) < 0.1] = -np.inf
    tables[:, 0, 0] = 0.0  # all 0 is possible
    graph.add(Table(x.ravel()[pairs], tables))
    return graph


def _complete(rng: Rng) -> FactorGraph:
    graph = FactorGraph()
    x = graph.variables("x", 7, 3)
    pairs = [[i, j] for i in range(7) for j in range(i)]
    graph.add(Table(x[pairs], 0.2 * rng.normal(size=(len(pairs), 3, 3))))
    return graph


def _high_degree(rng: Rng) -> FactorGraph:
    """Tables over one to four variables of two to four states."""
    graph = FactorGraph()
    x = [graph.variable(f"x{i}", 2 + i % 3) for i in range(8)]
    for degree in (1, 2, 3, 4, 4, 3, 2, 3, 2):
        members = [x[i] for i in rng.permutation(8)[:degree]]
        graph.add(Table(members, 0.5 * rng.normal(size=[v.cardinality for v in members])))
    return graph


def _logic(rng: Rng) -> FactorGraph:
    graph = FactorGraph()
    x = graph.variables("x", 8)
    graph.add(Table(_singles(x), 0.5 * rng.normal(size=(8, 2))))
    graph.add(AtMostOne(x[[[0, 1, 2, 3], [2, 3, 4, 5]]]))
    graph.add(OrWithOutput(x[[[4, 5, 6, 7]]]))
    graph.add(Budget(x[[[0, 2, 4, 6, 7]]], 3))
    graph.add(ExactlyOne(x[[[1, 5, 7]]], negated=np.array([False, True, False])))
    graph.add(Table(x[[[0, 7], [3, 6]]], rng.normal(size=(2, 2, 2))))
    return graph


def _chains(rng: Rng) -> FactorGraph:
    """The rows and the columns of a square are chains."""
    graph = FactorGraph()
    x = graph.variables("x", (4, 4), 3)
    flat, numbers = x.ravel(), np.arange(16).reshape(4, 4)
    graph.add(LinearChainFactor(flat[numbers], 0.4 * rng.normal(size=(4, 3, 3, 3))))
    graph.add(LinearChainFactor(flat[numbers.T], 0.4 * rng.normal(size=(3, 3)), shared=True))
    graph.add(Table(_singles(x), 0.5 * rng.normal(size=(16, 3))))
    return graph


def _derivations(rng: Rng) -> FactorGraph:
    """Bracketings and segmentations that agree with each other, softly."""
    graph = FactorGraph()
    spans, starts = graph.variables("span", 6), graph.variables("start", 4, 3)
    graph.add(Constituency(spans, 4))
    graph.add(SegmentationFactor(starts, 0.5 * rng.normal(size=(4, 2, 2)), 0.5 * rng.normal(size=(2, 2))))
    graph.add(Table([spans[[0, 1, 3, 4]], starts[[0, 1, 2, 3]]], 0.5 * rng.normal(size=(4, 2, 3))))
    graph.add(Table([spans[[3, 5]], starts[[1, 2]]], 0.5 * rng.normal(size=(2, 2, 3))))
    graph.add(Table(_singles(spans), 0.5 * rng.normal(size=(6, 2))))
    return graph


def _parse(rng: Rng, kind: type, scale: float = 0.7) -> FactorGraph:
    """A tree with rewards for pairs of arcs; a great `scale` needs their log-odds."""
    graph = FactorGraph()
    arcs = graph.variables("arc", shape=(4, 3))
    flat = arcs.ravel()
    graph.add(Table(_singles(arcs), np.stack([np.zeros(12), 0.7 * rng.normal(size=12)], axis=1)))
    graph.add(BothOn(flat[[[0, 4], [1, 5], [4, 8], [2, 6], [0, 1], [5, 9]]], scale * rng.normal(size=6)))
    graph.add(kind(arcs, roots="one"))
    return graph


def _two_parsers(rng: Rng) -> FactorGraph:
    """Two second-order tree factors over different arcs, whose arcs like each other."""
    graph = FactorGraph()
    first, second = graph.variables("first", shape=(3, 2)), graph.variables("second", shape=(3, 2))
    graph.add(ExactDependency(first, grandparents=0.5 * rng.normal(size=(3, 3, 3))))
    graph.add(ExactDependency(second, siblings=0.5 * rng.normal(size=(3, 3, 3))))
    graph.add(Table([first.ravel(), second.ravel()], 0.5 * rng.normal(size=(6, 2, 2))))
    return graph


LOOPY: dict[str, Callable[[Rng], FactorGraph]] = {
    "binary grid": lambda rng: _grid(rng, 2, 5),
    "potts 3": lambda rng: _grid(rng, 3, 6),
    "potts 4": lambda rng: _grid(rng, 4, 4),
    "zeros": _with_zeros,
    "complete": _complete,
    "high degree": _high_degree,
    "logic": _logic,
    "chains": _chains,
    "derivations": _derivations,
    "projective trees": lambda rng: _parse(rng, ProjectiveTree),
    "trees": lambda rng: _parse(rng, Tree),
    "great rewards": lambda rng: _parse(rng, Tree, 60.0),
    "two parsers": _two_parsers,
}


def swinging_graph(rng: Rng, states: int) -> FactorGraph:
    """Return a graph all of whose variables want to differ from each other: flooding never settles."""
    graph = FactorGraph()
    x = graph.variables("x", 6, states)
    pairs = [[i, j] for i in range(6) for j in range(i)]
    graph.add(Table(x[pairs], -4.0 * np.eye(states)))
    graph.add(Table(_singles(x), 0.1 * rng.normal(size=(6, states))))
    return graph

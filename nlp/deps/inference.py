"""Beliefs of candidate arcs from their scores, and the way back: belief propagation assembled from `pgm`.

First-order projective models skip the factor graph: inside-outside gives the same numbers, exactly.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypergraph.batched import TreeChart
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from pgm import FactorGraph, UnrolledBeliefPropagation
from pgm.factors import (
    AtMostOne,
    BothOn,
    ExactDependency,
    ExactlyOne,
    Nand,
    ProjectiveTree,
    Table,
    Tree,
)
from pgm.schedules import SpanningTree

__all__ = ["Inference", "infer"]

Floats = NDArray[np.float64]


class Inference(ABC):
    """One run on one sentence.

    Attributes
    ----------
    beliefs : (arcs,) the belief that each arc is there
    """

    beliefs: Floats

    @abstractmethod
    def likelihood(self) -> tuple[float, Floats, Floats]:
        """Return the log-partition (Bethe, where inference is approximate) and the beliefs of arcs and of pairs."""

    @abstractmethod
    def backward(self, adjoint: Floats) -> tuple[Floats, Floats]:
        """Return the adjoints of the scores of arcs and of pairs, given that of `beliefs`."""


def infer(
    parts: Parts, settings: ModelSettings, arc_scores: Floats, pair_scores: Floats, *, factors: bool = False
) -> Inference:
    """Run inference on a sentence.

    Parameters
    ----------
    arc_scores : (arcs,)
    pair_scores : (pairs,) of grandparents, then of siblings, as `pairs_of` lists them; empty for a first-order model
    factors : whether `likelihood` will be asked for
    """
    if settings.order == 1 and settings.tree == "projective" and settings.constraint == "tree":
        return _InsideOutside(parts, settings, arc_scores)
    if settings.inference == "exact" and settings.order == 2:
        return _Dependency(parts, settings, arc_scores, pair_scores)
    return _BeliefPropagation(parts, settings, arc_scores, pair_scores, factors)


def pairs_of(parts: Parts, settings: ModelSettings) -> NDArray[np.int64]:
    """Return (pairs, 2): the pairs of arcs that a model scores, grandparents before siblings."""
    chosen = [np.zeros((0, 2), dtype=np.int64)]
    if settings.order == 2 and settings.grandparents:
        chosen.append(parts.grandparents)
    if settings.order == 2 and settings.siblings:
        chosen.append(parts.siblings)
    return np.concatenate(chosen)


class _InsideOutside(Inference):
    def __init__(self, parts: Parts, settings: ModelSettings, arc_scores: Floats) -> None:
        self._parts = parts
        self._chart = TreeChart.run(parts.matrix(arc_scores, -np.inf)[None], roots=settings.roots)
        self.beliefs = self._chart.marginals[0][0, parts.heads, parts.modifiers]

    def likelihood(self) -> tuple[float, Floats, Floats]:
        return float(self._chart.log_partitions[0]), self.beliefs, np.zeros(0)

    def backward(self, adjoint: Floats) -> tuple[Floats, Floats]:
        (back,) = self._chart.backward(self._parts.matrix(adjoint, 0.0)[None])
        return back[0, self._parts.heads, self._parts.modifiers], np.zeros(0)


class _BeliefPropagation(Inference):
    def __init__(
        self, parts: Parts, settings: ModelSettings, arc_scores: Floats, pair_scores: Floats, factors: bool
    ) -> None:
        graph = FactorGraph()
        arcs = graph.variables("arc", shape=(len(parts),))
        unary = np.zeros((len(parts), 2))
        unary[:, 1] = arc_scores
        graph.add(Table(arcs[np.arange(len(parts))[:, None]], unary, name="arcs"))
        potentials = [unary]
        pairs = pairs_of(parts, settings)
        self._num_pairs = len(pairs)
        if len(pairs):
            graph.add(BothOn(arcs[pairs], pair_scores, name="pairs"))
            potentials.append(pair_scores)
        _add_constraints(graph, arcs, parts, settings)
        exact = len(pairs) == 0 and settings.constraint == "tree"
        self._module = UnrolledBeliefPropagation(
            graph,
            iterations=1 if exact else settings.iterations,
            schedule=SpanningTree(root_first=settings.tree_first and not exact),
            damping=0.0 if exact else settings.damping,
            variables_only=not factors,
        )
        outputs: Any = self._module.forward(*potentials)
        self._outputs: tuple[Any, ...] = outputs if factors else (outputs,)
        self.beliefs = self._outputs[0][1::2]

    def likelihood(self) -> tuple[float, Floats, Floats]:
        _, unary, *pairs, log_partition = self._outputs
        return float(log_partition), unary[:, 1], pairs[0] if pairs else np.zeros(0)

    def backward(self, adjoint: Floats) -> tuple[Floats, Floats]:
        flat = np.zeros(2 * len(adjoint))
        flat[1::2] = adjoint
        back = self._module.backward(flat, *[None] * (self._module.output_count - 1))
        return back[0][:, 1], back[1] if self._num_pairs else np.zeros(0)


def _add_constraints(graph: FactorGraph, arcs: Any, parts: Parts, settings: ModelSettings) -> None:
    if settings.constraint == "tree":
        family = ProjectiveTree if settings.tree == "projective" else Tree
        graph.add(family(arcs, heads=parts.heads, modifiers=parts.modifiers, n=parts.n, roots=settings.roots))
        return
    kind = {"exactly_one": ExactlyOne, "at_most_one": AtMostOne}.get(settings.constraint)
    for word in range(1, parts.n + 1):
        into = np.arange(parts.start[word], parts.start[word + 1])
        if kind is not None:
            graph.add(kind(arcs[into]))
        elif len(into) > 1:
            one, other = np.triu_indices(len(into), k=1)
            graph.add(Nand(arcs[np.stack([into[one], into[other]], axis=1)]))
    if settings.no_two_cycle:
        number = parts.matrix(np.arange(len(parts)), -1.0).astype(np.int64)
        forth, back = number, number.T
        both = (forth >= 0) & (back >= 0) & (forth < back)
        if both.any():
            graph.add(Nand(arcs[np.stack([forth[both], back[both]], axis=1)]))


class _Dependency(Inference):
    """Exact second order: one factor over a hypergraph of O(n⁴) edges.

    Siblings are adjacent ones here: the arbitrary ones of the loopy model have no such dynamic program.
    """

    def __init__(self, parts: Parts, settings: ModelSettings, arc_scores: Floats, pair_scores: Floats) -> None:
        graph = FactorGraph()
        arcs = graph.variables("arc", shape=(len(parts),))
        unary = np.zeros((len(parts), 2))
        unary[:, 1] = arc_scores
        graph.add(Table(arcs[np.arange(len(parts))[:, None]], unary, name="arcs"))
        pairs = parts.grandparents
        self._place = (parts.heads[pairs[:, 0]], parts.heads[pairs[:, 1]], parts.modifiers[pairs[:, 1]])
        grand = np.zeros((parts.n + 1,) * 3)
        grand[self._place] = pair_scores
        factor = ExactDependency(
            arcs, parts.heads, parts.modifiers, parts.n, settings.roots, grandparents=grand
        )  # fmt: skip
        graph.add(factor)
        self._module = UnrolledBeliefPropagation(graph, iterations=1, schedule="tree")
        assert factor.potentials is not None
        self._outputs: Any = self._module.forward(unary, factor.potentials)
        self.beliefs = self._outputs[0][1::2]

    def likelihood(self) -> tuple[float, Floats, Floats]:
        _, unary, parts, log_partition = self._outputs
        return float(log_partition), unary[:, 1], parts[0, 0][self._place]

    def backward(self, adjoint: Floats) -> tuple[Floats, Floats]:
        flat = np.zeros(2 * len(adjoint))
        flat[1::2] = adjoint
        unary, parts = self._module.backward(flat, None, None, None)
        return unary[:, 1], parts[0, 0][self._place]

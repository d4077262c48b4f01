"""Beliefs of candidate arcs from the scores of parts, and the way back: belief propagation assembled from `pgm`.

First-order projective models skip the factor graph: inside-outside gives the same numbers, exactly.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypergraph.batched import TreeChart
from nlp.deps.exact import dependency_graph
from nlp.deps.graphs import ModelGraph, Scores
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from pgm import BeliefPropagation
from pgm.factor import Factor
from pgm.schedules import Serial

__all__ = ["Inference", "infer", "is_exact", "model_graph", "schedule_of"]

Floats = NDArray[np.float64]


class Inference(ABC):
    """One run on one sentence.

    Attributes
    ----------
    beliefs : (arcs,) the belief that each arc is there
    """

    beliefs: Floats

    @abstractmethod
    def likelihood(self) -> tuple[float, Scores]:
        """Return the log-partition (Bethe, where inference is approximate) and the beliefs of all parts, by kind."""

    @abstractmethod
    def backward(self, adjoint: Floats) -> Scores:
        """Return the adjoints of the scores of all parts, by kind, given that of `beliefs`."""


def infer(parts: Parts, settings: ModelSettings, scores: Scores, *, record: bool = False) -> Inference:
    """Run inference on a sentence.

    Parameters
    ----------
    scores : (count,) for each kind of parts of the model (`kinds_of`)
    record : whether to keep what `backward` needs
    """
    if settings.order == 1 and settings.tree == "projective" and settings.constraint == "tree":
        return _InsideOutside(parts, settings, scores["arc"])
    return _BeliefPropagation(parts, settings, scores, record)


def model_graph(parts: Parts, settings: ModelSettings, scores: Scores) -> ModelGraph:
    """Return the factor graph of a model: with one factor for all, where inference is exact."""
    if settings.inference == "exact" and len(scores) > 1:
        return dependency_graph(parts, settings, scores)
    return ModelGraph.of(parts, settings, scores)


def is_exact(settings: ModelSettings, scores: Scores) -> bool:
    """Whether the factor graph of a model is a tree, so that belief propagation ends after one iteration."""
    alone = all(len(values) == 0 for kind, values in scores.items() if kind != "arc")
    return settings.inference == "exact" or (alone and settings.constraint == "tree")


def schedule_of(settings: ModelSettings, *, exact: bool) -> Any:
    """Return the schedule of belief propagation."""
    if exact or settings.schedule == "tree":
        return Serial(root_first=settings.tree_first and not exact)
    return settings.schedule


class _InsideOutside(Inference):
    def __init__(self, parts: Parts, settings: ModelSettings, arc_scores: Floats) -> None:
        self._parts = parts
        self._chart = TreeChart.run(parts.matrix(arc_scores, -np.inf)[None], roots=settings.roots)
        self.beliefs = self._chart.marginals[0][0, parts.heads, parts.modifiers]

    def likelihood(self) -> tuple[float, Scores]:
        return float(self._chart.log_partitions[0]), {"arc": self.beliefs}

    def backward(self, adjoint: Floats) -> Scores:
        (back,) = self._chart.backward(self._parts.matrix(adjoint, 0.0)[None])
        return {"arc": back[0, self._parts.heads, self._parts.modifiers]}


class _BeliefPropagation(Inference):
    def __init__(self, parts: Parts, settings: ModelSettings, scores: Scores, record: bool) -> None:
        self._graph = model_graph(parts, settings, scores)
        exact = is_exact(settings, scores)
        propagation = BeliefPropagation(
            iterations=1 if exact else settings.iterations,
            tolerance=0.0,
            schedule=schedule_of(settings, exact=exact),
            damping=0.0 if exact else settings.damping,
        )
        self._result = propagation.run(self._graph.graph, record=record)
        self.beliefs = self._result.flat_beliefs[1::2]

    def likelihood(self) -> tuple[float, Scores]:
        return self._result.log_partition, self._by_kind(self._result.factor_beliefs)

    def backward(self, adjoint: Floats) -> Scores:
        flat = np.zeros(2 * len(adjoint))
        flat[1::2] = adjoint
        return self._by_kind(self._result.backward(beliefs=flat))

    def _by_kind(self, by_family: Mapping[Factor, Floats]) -> Scores:
        return self._graph.by_kind([by_family[family] for family in self._graph.scored])

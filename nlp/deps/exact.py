"""Exact inference of second order: one factor for tree, grandparents and child sequences together (O(n⁴))."""

import numpy as np

from nlp.deps.graphs import ModelGraph, Scores
from nlp.deps.kinds import Placed, kinds_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from pgm import FactorGraph
from pgm.factors import ExactDependency

__all__ = ["dependency_graph"]


def dependency_graph(parts: Parts, settings: ModelSettings, scores: Scores) -> ModelGraph:
    """Return the factor graph of a projective model without loops: arcs, and one factor with all else."""
    graph = FactorGraph()
    arcs = graph.variables("arc", shape=(len(parts),))
    unary, *others = kinds_of(settings)
    (first,) = unary.factors(arcs, parts, scores[unary.name])
    graph.add(first.factor)
    cubes, places = {}, {}
    for kind in others:
        places[kind.name] = kind.positions(parts)  # [g, h, m] or [h, m, s], as the factor takes them
        cubes[kind.name] = np.zeros((parts.n + 1,) * 3)
        cubes[kind.name][places[kind.name]] = scores[kind.name]
    factor = graph.add(
        ExactDependency(
            arcs, parts.heads, parts.modifiers, parts.n, settings.roots,
            grandparents=cubes.get("grandparent"), siblings=cubes.get("childseq"),
        )
    )  # fmt: skip
    placed = [(unary.name, first)]
    placed += [(name, Placed(factor, slice(None), (0, at, *where))) for at, (name, where) in enumerate(places.items())]
    return ModelGraph(graph, [first.factor, factor], placed, {name: len(values) for name, values in scores.items()})

"""Exact inference of second order: one factor for tree, grandparents and child sequences together (O(n⁴))."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np
from attrs import evolve, frozen

from nlp.deps.inference.base import DependencyInference
from nlp.deps.kinds import PartKind, Switched
from nlp.deps.parts import Parts
from nlp.deps.settings import ConstraintSettings, TreeSettings
from pgm import BeliefPropagation, FactorGraph
from pgm.factors import ExactDependency
from pgm.learning import Placed, ScoredGraph
from pgm.schedules import Serial

__all__ = ["ExactInference"]

_ROLES = {"grandparent": "grandparents", "childseq": "siblings"}
"""Kinds of parts that the dynamic programs know: the arguments of `ExactDependency`, in their order."""


@frozen(kw_only=True)
class ExactInference(DependencyInference):
    """Dynamic programming, for projective models with arcs, grandparents and child sequences."""

    name: ClassVar[str] = "exact"

    def check(self, kinds: Sequence[Switched], tree: TreeSettings, constraint: ConstraintSettings) -> None:
        """Raise ValueError for other models."""
        if constraint.constraint != "global":
            raise ValueError(
                f"exact inference is for constraint='global', not {constraint.constraint!r}; use inference='bp'"
            )
        other = [kind.option for kind in kinds[1:] if kind.name not in _ROLES]
        if len(kinds) > 1 and (tree.tree != "projective" or other):
            raise ValueError(
                "exact inference of second order is for projective models with grandparents or childseq and without "
                f"{', '.join(other) or 'crossing arcs'}: use tree='projective' and siblings=False, or inference='bp'"
            )

    def graph(
        self, parts: Parts, kinds: Sequence[PartKind], tree: TreeSettings, constraint: ConstraintSettings
    ) -> ScoredGraph:
        """Return arc variables, and one factor with all else."""
        graph = FactorGraph()
        arcs = graph.variables("arc", shape=(len(parts),))
        unary, *others = kinds
        (first,) = unary.factors(arcs, parts)
        graph.add(first.factor)
        others.sort(key=lambda kind: [*_ROLES].index(kind.name))  # the order of the factor's potentials
        cubes = {_ROLES[kind.name]: np.zeros((parts.n + 1,) * 3) for kind in others}
        factor = graph.add(
            ExactDependency(arcs, parts.heads, parts.modifiers, parts.n, tree.roots or "one", **cubes)  # type: ignore[arg-type]
        )
        placed = [(unary.name, first)]
        for at, kind in enumerate(others):  # positions are [g, h, m] or [h, m, s], as the factor takes them
            placed.append((kind.name, Placed(factor, slice(None), (0, at, *kind.positions(parts)))))
        return ScoredGraph(graph, placed, {kind.name: len(kind.positions(parts)[0]) for kind in kinds})

    @cached_property
    def method(self) -> BeliefPropagation:
        """Belief propagation on what is then a tree: one iteration is exact."""
        return BeliefPropagation(iterations=1, schedule=Serial(root_first=False), tolerance=0.0)

    @cached_property
    def best_method(self) -> BeliefPropagation:
        """The same with max-product messages."""
        return evolve(self.method, mode="max")

    @property
    def finds_best(self) -> bool:
        """Always."""
        return True

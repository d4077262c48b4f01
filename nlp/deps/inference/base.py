"""The contract of inference in a dependency model: what factor graph it needs, and what is run on that."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from autodiff.named import Named
from nlp.deps.kinds import PartKind, Switched
from nlp.deps.parts import Parts
from nlp.deps.settings import ConstraintSettings, TreeSettings
from pgm import FactorGraph
from pgm.factor import Factor
from pgm.factors import AtMostOne, ExactlyOne, Nand, ProjectiveTree, Tree
from pgm.inference import DifferentiableInference
from pgm.learning import ScoredGraph

__all__ = ["DependencyInference"]


@frozen(kw_only=True)
class DependencyInference(Named, ABC):
    """Makes the factor graph of candidate arcs, and says how beliefs and best trees are found in it.

    First-order models with the global constraint need neither: the structure of trees gives the same numbers, exactly.
    """

    def check(self, kinds: Sequence[Switched], tree: TreeSettings, constraint: ConstraintSettings) -> None:
        """Raise ValueError if a model cannot be inferred like this."""

    def graph(
        self, parts: Parts, kinds: Sequence[PartKind], tree: TreeSettings, constraint: ConstraintSettings
    ) -> ScoredGraph:
        """Return arc variables, the factors of each kind of parts, and what makes arcs a tree."""
        graph = FactorGraph()
        arcs = graph.variables("arc", shape=(len(parts),))
        placed = [(kind.name, family) for kind in kinds for family in kind.factors(arcs, parts)]
        graph.extend(family.factor for _, family in placed)
        graph.extend(_constraints(arcs, parts, tree, constraint))
        return ScoredGraph(graph, placed, {kind.name: len(kind.positions(parts)[0]) for kind in kinds})

    @property
    @abstractmethod
    def method(self) -> DifferentiableInference:
        """What gives beliefs on the graph."""

    @property
    @abstractmethod
    def best_method(self) -> DifferentiableInference:
        """What looks for the best assignment on the graph."""

    @property
    def finds_best(self) -> bool:
        """Whether that is certainly the best one."""
        return False


def _constraints(arcs: Any, parts: Parts, tree: TreeSettings, settings: ConstraintSettings) -> Iterator[Factor]:
    """Yield TREE or PTREE, or the weaker constraints of Smith & Eisner (2008), Table 3."""
    if settings.constraint == "global":
        family = _FACTORS[tree.tree]
        yield family(arcs, heads=parts.heads, modifiers=parts.modifiers, n=parts.n, roots=tree.roots or "one")
        return
    groups = list(_by_size(parts))
    if tree.roots == "one":
        groups.append(np.flatnonzero(parts.heads == 0)[None])
    if settings.constraint == "not_two":
        yield from _excluding(arcs, [group[:, np.triu_indices(group.shape[1], k=1)] for group in groups])
    else:
        kind = ExactlyOne if settings.constraint == "exactly_one" else AtMostOne
        for group in groups:
            yield kind(arcs[group])
    if settings.no_two_cycle:
        number = parts.matrix(np.arange(len(parts)), -1.0).astype(np.int64)
        both = (number >= 0) & (number < number.T)
        yield from _excluding(arcs, [np.stack([number[both], number.T[both]])[None]])


_FACTORS: dict[str, Any] = {"projective": ProjectiveTree, "nonprojective": Tree}


def _by_size(parts: Parts) -> Iterator[NDArray[np.int64]]:
    """Yield (words, k): the arcs into the words that have k candidate heads."""
    sizes = np.diff(parts.start)[1:]
    for size in np.unique(sizes):
        yield parts.start[1:-1][sizes == size][:, None] + np.arange(size)


def _excluding(arcs: Any, pairs: list[NDArray[np.int64]]) -> Iterator[Factor]:
    """Yield one family for pairs (…, 2, count) of arcs of which at most one may be there."""
    listed = np.concatenate([np.moveaxis(some, 1, 2).reshape(-1, 2) for some in pairs])
    if len(listed):
        yield Nand(arcs[listed])

"""The factor graph of a sentence: arc variables, the scored parts, and what makes them a tree."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from nlp.deps.kinds import Placed, kinds_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from pgm import FactorGraph
from pgm.factor import Factor
from pgm.factors import AtMostOne, ExactlyOne, Nand, ProjectiveTree, Tree

__all__ = ["ModelGraph", "Scores"]

Floats = NDArray[np.float64]
Scores = dict[str, Floats]
"""By the name of each kind of parts, (count,)."""


@frozen(eq=False)
class ModelGraph:
    """A factor graph, and where the scores of each kind of parts are in it.

    Attributes
    ----------
    scored : the families that have potentials, in the order of the graph
    placed : by kind of parts, where its scores are; several may be in one family
    """

    graph: FactorGraph = field(repr=False)
    scored: list[Factor] = field(repr=False)
    placed: list[tuple[str, Placed]] = field(repr=False)
    sizes: dict[str, int] = field()

    @classmethod
    def of(cls, parts: Parts, settings: ModelSettings, scores: Scores) -> "ModelGraph":
        """Build the graph of a model for candidate arcs."""
        graph = FactorGraph()
        arcs = graph.variables("arc", shape=(len(parts),))
        placed = [
            (kind.name, family)
            for kind in kinds_of(settings)
            for family in kind.factors(arcs, parts, scores[kind.name])
        ]
        for _, family in placed:
            graph.add(family.factor)
        for constraint in _constraints(arcs, parts, settings):
            graph.add(constraint)
        sizes = {name: len(values) for name, values in scores.items()}
        return cls(graph, [family.factor for _, family in placed], placed, sizes)

    @property
    def potentials(self) -> list[Floats]:
        """Of the scored families."""
        return [family.potentials for family in self.scored]  # type: ignore[misc]

    def by_kind(self, of_families: Any) -> Scores:
        """Return what belongs to each part, given arrays like `potentials` (beliefs, or adjoints)."""
        found = {name: np.zeros(size) for name, size in self.sizes.items()}
        values = dict(zip(self.scored, of_families, strict=True))
        for name, family in self.placed:
            own = values[family.factor][family.place]
            if isinstance(family.rows, slice):
                found[name][family.rows] = own
            else:  # several potentials may have the score of one part
                found[name] += np.bincount(family.rows, weights=own, minlength=self.sizes[name])
        return found


def _constraints(arcs: Any, parts: Parts, settings: ModelSettings) -> Iterator[Factor]:
    """Yield TREE or PTREE, or the weaker constraints of Smith & Eisner (2008), Table 3."""
    if settings.constraint == "tree":
        family = ProjectiveTree if settings.trees(parts.n).projective else Tree
        yield family(arcs, heads=parts.heads, modifiers=parts.modifiers, n=parts.n, roots=settings.roots)
        return
    groups = list(_by_size(parts))
    if settings.roots == "one":
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

"""What kinds of parts have in common that are pairs of arcs."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from autodiff.array_types import Floats, Integers
from nlp.deps.kinds.base import PartKind
from nlp.deps.parts import Parts
from pgm.factors import BothOn
from pgm.learning import Placed

__all__ = ["PairKind"]


class PairKind(PartKind):
    """Parts that are in a tree if two arcs are: a reward for both."""

    title: ClassVar[str]  # of its factors

    @abstractmethod
    def pairs(self, parts: Parts) -> Integers:
        """Return (pairs, 2) arcs."""

    def rows(self, parts: Parts) -> Any:
        """Return which part each pair belongs to: one each, unless a kind says otherwise."""
        return slice(None)

    def factors(self, arcs: Any, parts: Parts) -> list[Placed]:
        """A reward for both arcs."""
        pairs = self.pairs(parts)
        if not len(pairs):
            return []
        return [Placed(BothOn(arcs[pairs], np.zeros(len(pairs)), name=self.title), self.rows(parts), slice(None))]

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """Both arcs are in the tree."""
        one, other = self.pairs(parts).T
        both, rows = tree[one] * tree[other], self.rows(parts)
        if isinstance(rows, slice):
            return both
        return np.bincount(rows, weights=both, minlength=len(self.positions(parts)[0])).astype(np.float64)

    def gains(self, parts: Parts, tree: Floats, scores: Floats) -> Floats:
        """Return (arcs,): what each arc would add to the score of a tree, beside the arcs that are in it."""
        one, other = self.pairs(parts).T
        values = scores[self.rows(parts)]
        gains = np.zeros(len(parts))
        gains += np.bincount(one, weights=values * tree[other], minlength=len(parts))
        gains += np.bincount(other, weights=values * tree[one], minlength=len(parts))
        return gains

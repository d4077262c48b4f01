"""NOCROSS: the arcs to two words cross, and pay for it (Smith & Eisner 2008, §3.4)."""

from typing import Any, ClassVar

import numpy as np

from nlp.deps import kernels
from nlp.deps.kinds.base import Floats, Ints, PartKind, Placed
from nlp.deps.parts import Parts
from pgm.factors import NoCross

__all__ = ["Crossings"]


class Crossings(PartKind):
    """One part for each two words whose candidate arcs can cross; it is in a tree if the arcs to them do."""

    name: ClassVar[str] = "nocross"

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """The two words, in their order."""
        first, second = _pairs(parts).T
        return first, second

    def factors(self, arcs: Any, parts: Parts, scores: Floats) -> list[Placed]:
        """A soft NOCROSS for each two words; those with as many candidate heads are one family."""
        pairs = _pairs(parts)
        sizes = parts.start[pairs + 1] - parts.start[pairs]
        degrees = sizes.sum(axis=1)
        placed = []
        for degree in np.unique(degrees):
            rows = np.flatnonzero(degrees == degree)
            steps, own = np.arange(degree), sizes[rows, :1]
            starts = parts.start[pairs[rows]]
            chosen = np.where(steps < own, starts[:, :1] + steps, starts[:, 1:] + steps - own)
            factor = NoCross(
                arcs[chosen], parts.heads[chosen], parts.modifiers[chosen], scores[rows], name="crossings"
            )  # fmt: skip
            placed.append(Placed(factor, rows, slice(None)))
        return placed

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """The arcs of the tree to the two words cross."""
        heads = np.full(parts.n + 1, -1)
        on = tree > 0
        heads[parts.modifiers[on]] = parts.heads[on]
        return kernels.pairs.crossing(heads, _pairs(parts)).astype(np.float64)


def _pairs(parts: Parts) -> Ints:
    """Return (pairs, 2): the words j < l that some candidate arcs to them cross at."""
    return parts.derived("nocross", lambda: kernels.pairs.crossable(parts.heads, parts.start))

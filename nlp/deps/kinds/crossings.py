"""NOCROSS: the arcs to two words cross, and pay for it (Smith & Eisner 2008, §3.4).

They make one factor of all arcs to two words, which repeats that each has one head; n such factors at each arc make
belief propagation far too sure.  Under a tree constraint, rewards for two arcs that cross are the same distribution.
"""

from typing import Any, ClassVar

import numpy as np

from nlp.deps import kernels
from nlp.deps.kinds.base import Floats, Ints, PartKind, Placed
from nlp.deps.parts import Parts
from pgm.factors import BothOn

__all__ = ["Crossings"]


class Crossings(PartKind):
    """One part for each two words whose candidate arcs can cross; it is in a tree if the arcs to them do."""

    name: ClassVar[str] = "nocross"

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """The two words, in their order."""
        first, second = _crossings(parts)[1].T
        return first, second

    def factors(self, arcs: Any, parts: Parts, scores: Floats) -> list[Placed]:
        """A reward for each two arcs that cross, the same for all that go to the same two words."""
        pairs, _ = _crossings(parts)
        if not len(pairs):
            return []
        words = pairs[:, 2]
        return [Placed(BothOn(arcs[pairs[:, :2]], scores[words], name="crossings"), words, slice(None))]

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """Arcs of the tree to the two words cross."""
        pairs, words = _crossings(parts)
        both = tree[pairs[:, 0]] * tree[pairs[:, 1]]
        return np.bincount(pairs[:, 2], weights=both, minlength=len(words)).astype(np.float64)


def _crossings(parts: Parts) -> tuple[Ints, Ints]:
    found: tuple[Ints, Ints] = parts.derived("nocross", lambda: kernels.pairs.crossings(parts.heads, parts.start))
    return found

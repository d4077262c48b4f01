"""Siblings m and s under one head, next to each other or not."""

from typing import Any, ClassVar

from nlp.deps.kinds.base import Floats, Ints, PartKind, Placed
from nlp.deps.parts import Parts
from pgm.factors import BothOn

__all__ = ["Siblings"]


class Siblings(PartKind):
    """One part for each pair of candidate arcs h → m and h → s, m before s."""

    name: ClassVar[str] = "sibling"

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """Heads, first and second modifiers."""
        one, other = parts.siblings.T
        return parts.heads[one], parts.modifiers[one], parts.modifiers[other]

    def factors(self, arcs: Any, parts: Parts, scores: Floats) -> list[Placed]:
        """A reward for both arcs."""
        if not len(scores):
            return []
        return [Placed(BothOn(arcs[parts.siblings], scores, name="siblings"), slice(None), slice(None))]

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """Both arcs are in the tree."""
        one, other = parts.siblings.T
        return tree[one] * tree[other]

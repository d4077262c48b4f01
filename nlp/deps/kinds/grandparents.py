"""Grandparents g → h → m (Carreras 2007)."""

from typing import Any, ClassVar

from nlp.deps.kinds.base import Floats, Ints, PartKind, Placed
from nlp.deps.parts import Parts
from pgm.factors import BothOn

__all__ = ["Grandparents"]


class Grandparents(PartKind):
    """One part for each pair of candidate arcs g → h and h → m."""

    name: ClassVar[str] = "grandparent"

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """Grandparents, heads and modifiers."""
        above, arc = parts.grandparents.T
        return parts.heads[above], parts.heads[arc], parts.modifiers[arc]

    def factors(self, arcs: Any, parts: Parts, scores: Floats) -> list[Placed]:
        """A reward for both arcs."""
        if not len(scores):
            return []
        return [Placed(BothOn(arcs[parts.grandparents], scores, name="grandparents"), slice(None), slice(None))]

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """Both arcs are in the tree."""
        above, arc = parts.grandparents.T
        return tree[above] * tree[arc]

"""Grandparents g → h → m (Carreras 2007)."""

from typing import ClassVar

from nlp.deps.kinds.base import Ints
from nlp.deps.kinds.pairs import PairKind
from nlp.deps.parts import Parts
from nlp.features import GRANDPARENT

__all__ = ["Grandparents"]


class Grandparents(PairKind):
    """One part for each pair of candidate arcs g → h and h → m."""

    name: ClassVar[str] = "grandparent"
    title: ClassVar[str] = "grandparents"
    option: ClassVar[str] = "grandparents"
    default: ClassVar[bool] = True
    help: ClassVar[str] = "Factors for grandparents."
    roles: ClassVar[tuple[str, ...]] = ("g", "h", "m")
    templates: ClassVar[str] = GRANDPARENT.text

    def pairs(self, parts: Parts) -> Ints:
        """The arcs g → h and h → m."""
        return parts.grandparents

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """Grandparents, heads and modifiers."""
        above, arc = parts.grandparents.T
        return parts.heads[above], parts.heads[arc], parts.modifiers[arc]

"""Siblings m and s under one head, next to each other or not."""

from typing import ClassVar

from nlp.deps.kinds.base import Ints
from nlp.deps.kinds.pairs import PairKind
from nlp.deps.parts import Parts
from nlp.features import SIBLING

__all__ = ["Siblings"]


class Siblings(PairKind):
    """One part for each pair of candidate arcs h → m and h → s, m before s."""

    name: ClassVar[str] = "sibling"
    title: ClassVar[str] = "siblings"
    option: ClassVar[str] = "siblings"
    default: ClassVar[bool] = True
    help: ClassVar[str] = "Factors for all pairs of siblings."
    roles: ClassVar[tuple[str, ...]] = ("h", "m", "s")
    templates: ClassVar[str] = SIBLING.text

    def pairs(self, parts: Parts) -> Ints:
        """The arcs h → m and h → s."""
        return parts.siblings

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """Heads, first and second modifiers."""
        one, other = parts.siblings.T
        return parts.heads[one], parts.modifiers[one], parts.modifiers[other]

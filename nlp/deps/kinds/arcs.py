"""Arcs h → m."""

from typing import Any, ClassVar

import numpy as np

from nlp.deps.kinds.base import Floats, Ints, PartKind
from nlp.deps.parts import Parts
from nlp.features import ARC
from pgm.factors import Table
from pgm.learning import Placed

__all__ = ["Arcs"]


class Arcs(PartKind):
    """One part for each candidate arc."""

    name: ClassVar[str] = "arc"
    roles: ClassVar[tuple[str, ...]] = ("h", "m")
    templates: ClassVar[str] = ARC.text

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """Heads and modifiers."""
        return parts.heads, parts.modifiers

    def factors(self, arcs: Any, parts: Parts) -> list[Placed]:
        """A table for each variable."""
        return [Placed(Table(arcs[:, None], np.zeros((len(parts), 2)), name="arcs"), slice(None), (slice(None), 1))]

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """The indicator itself."""
        return tree

    def gains(self, parts: Parts, tree: Floats, scores: Floats) -> Floats:
        """Its score."""
        return scores

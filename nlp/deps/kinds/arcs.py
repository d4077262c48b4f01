"""Arcs h → m."""

from typing import Any, ClassVar

import numpy as np

from nlp.deps.kinds.base import Floats, Ints, PartKind, Placed
from nlp.deps.parts import Parts
from pgm.factors import Table

__all__ = ["Arcs"]


class Arcs(PartKind):
    """One part for each candidate arc."""

    name: ClassVar[str] = "arc"

    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """Heads and modifiers."""
        return parts.heads, parts.modifiers

    def factors(self, arcs: Any, parts: Parts, scores: Floats) -> list[Placed]:
        """A table for each variable."""
        unary = np.zeros((len(parts), 2))
        unary[:, 1] = scores
        return [Placed(Table(arcs[:, None], unary, name="arcs"), slice(None), (slice(None), 1))]

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """The indicator itself."""
        return tree

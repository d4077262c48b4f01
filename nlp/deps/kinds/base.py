"""The contract of a kind of parts: which there are, which words they look at, what they add to a factor graph."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from nlp.deps.parts import Parts
from pgm.factor import Factor

__all__ = ["PartKind", "Placed"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@frozen(eq=False)
class Placed:
    """A family of factors, with the scores of some parts among its potentials: scores[rows] at potentials[place]."""

    factor: Factor = field()
    rows: Any = field(repr=False)
    place: Any = field(repr=False)


class PartKind(ABC):
    """Parts of a tree that get a score each: arcs, pairs of arcs, …

    A tree's score is the sum of the scores of the parts that are in it.  Parts are listed in a fixed order for given
    candidate arcs, and all methods speak of them in this order.
    """

    name: ClassVar[str]  # of its templates, and of its scores

    @abstractmethod
    def positions(self, parts: Parts) -> tuple[Ints, ...]:
        """Return one array (count,) of words for each role of the templates (`nlp.features.atoms.KINDS`)."""

    @abstractmethod
    def factors(self, arcs: Any, parts: Parts, scores: Floats) -> list[Placed]:
        """Return the factors over the arc variables that have these scores (count,) as potentials."""

    @abstractmethod
    def present(self, parts: Parts, tree: Floats) -> Floats:
        """Return (count,): 1 for the parts of a tree, which is given as the indicator (arcs,) of its arcs."""

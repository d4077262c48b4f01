"""The contract of a kind of parts: which there are, which words they look at, what they add to a factor graph."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from autodiff.array_types import Floats, Integers
from nlp.deps.kinds.switched import Switched
from nlp.deps.parts import Parts
from pgm.learning import Placed

__all__ = ["PartKind"]


class PartKind(Switched, ABC):
    """Parts of a tree that get a score each: arcs, pairs of arcs, …

    A tree's score is the sum of the scores of the parts that are in it.  Parts are listed in a fixed order for given
    candidate arcs, and all methods speak of them in this order.
    """

    needs: ClassVar[str | None] = None
    """The kind of trees without which it makes no sense, if there is one."""

    @abstractmethod
    def positions(self, parts: Parts) -> tuple[Integers, ...]:
        """Return one array (count,) of words for each role of the templates."""

    @abstractmethod
    def factors(self, arcs: Any, parts: Parts) -> list[Placed]:
        """Return factors over the arc variables, and where among their potentials the scores of the parts go."""

    @abstractmethod
    def present(self, parts: Parts, tree: Floats) -> Floats:
        """Return (count,): 1 for the parts of a tree, which is given as the indicator (arcs,) of its arcs."""

    def gains(self, parts: Parts, tree: Floats, scores: Floats) -> Floats | None:
        """Return (arcs,): what each arc would add to the score of a tree, beside the arcs that are in it.

        None: the kind does not know how, and trees are not improved one head at a time.
        """
        return None

"""NOCROSS: the arcs to two words cross, and pay for it (Smith & Eisner 2008, §3.4).

They make one factor of all arcs to two words, which repeats that each has one head; n such factors at each arc make
belief propagation far too sure.  Under a tree constraint, rewards for two arcs that cross are the same distribution.
The templates are what they ask of the two words.
"""

from typing import Any, ClassVar

from autodiff.array_types import Integers
from nlp.deps import kernels
from nlp.deps.kinds.pairs import PairKind
from nlp.deps.parts import Parts

__all__ = ["Crossings"]

_TEMPLATES = """
bias
h.tag
m.tag
h.coarse
m.coarse
h.tag m.tag
h.coarse m.coarse
"""


class Crossings(PairKind):
    """One part for each two words whose candidate arcs can cross; it is in a tree if the arcs to them do."""

    name: ClassVar[str] = "nocross"
    title: ClassVar[str] = "crossings"
    option: ClassVar[str] = "nocross"
    help: ClassVar[str] = "Factors for two words whose arcs cross (nonprojective)."
    roles: ClassVar[tuple[str, ...]] = ("h", "m")
    templates: ClassVar[str] = _TEMPLATES
    needs: ClassVar[str | None] = "nonprojective"

    def pairs(self, parts: Parts) -> Integers:
        """Any two arcs that cross."""
        return _crossings(parts)[0][:, :2]

    def rows(self, parts: Parts) -> Any:
        """All that go to the same two words are one part."""
        return _crossings(parts)[0][:, 2]

    def positions(self, parts: Parts) -> tuple[Integers, ...]:
        """The two words, in their order."""
        first, second = _crossings(parts)[1].T
        return first, second


def _crossings(parts: Parts) -> tuple[Integers, Integers]:
    found: tuple[Integers, Integers] = parts.derived(
        "nocross", lambda: kernels.pairs.crossings(parts.heads, parts.start)
    )
    return found

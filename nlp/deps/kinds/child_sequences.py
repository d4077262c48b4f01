"""CHILDSEQ: the children of a head on one side, as a sequence from the head outwards (Smith & Eisner 2008, §3.3).

The templates follow Carreras (2007); `side` tells apart a first child, where s is h.
"""

from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats, Integers
from nlp.deps.kinds.base import PartKind
from nlp.deps.parts import Parts
from pgm.factors import ChildSequence
from pgm.learning import Placed

__all__ = ["ChildSequences"]

_TEMPLATES = """
side dir dist.ms
side dir dist
s.tag m.tag side dir
s.coarse m.coarse side dir
h.tag s.tag m.tag side dir
h.coarse s.coarse m.coarse side dir
h.tag s.tag m.tag side dir dist.ms
h.coarse s.coarse m.coarse side dir dist dist.ms
h.form s.tag m.tag side dir
h.tag s.form m.tag side dir
h.tag s.tag m.form side dir
h.lemma s.tag m.tag side dir
h.tag s.lemma m.tag side dir
h.tag s.tag m.lemma side dir
h.lemma s.lemma m.tag side dir
h.lemma s.tag m.lemma side dir
h.tag s.lemma m.lemma side dir
h.tag s.tag m.tag-1 m.tag side dir
h.tag s.tag m.tag m.tag+1 side dir
h.tag s.tag-1 s.tag m.tag side dir
h.tag s.tag s.tag+1 m.tag side dir
s.form m.tag side dir
s.tag m.form side dir
s.form m.form side dir
s.lemma m.lemma side dir
"""


@frozen(eq=False)
class _Family:
    """The sequences of D candidate children: arcs (F, D) from the head outwards.

    A part is an arc with the child before it: number `before` (0: the head itself, for the first child), then `after`.
    """

    arcs: Integers = field()

    @property
    def bigrams(self) -> tuple[Integers, Integers]:
        """(D (D + 1) / 2,) each: all pairs before < after, with 0 for the head."""
        return np.triu_indices(self.arcs.shape[1] + 1, k=1)

    @property
    def size(self) -> int:
        """The number of parts."""
        return len(self.arcs) * len(self.bigrams[0])


class ChildSequences(PartKind):
    """One part for each arc h → m and each possible child s of h next to it on the side of h.

    Where m is the first child, s is h.  These are the parts of Koo & Collins' (2010) second-order models, which exact
    inference can do as well.
    """

    name: ClassVar[str] = "childseq"
    option: ClassVar[str] = "childseq"
    help: ClassVar[str] = "Factors for the sequence of a head's children."
    roles: ClassVar[tuple[str, ...]] = ("h", "m", "s")
    templates: ClassVar[str] = _TEMPLATES

    def positions(self, parts: Parts) -> tuple[Integers, ...]:
        """Heads, modifiers, and the children before them (or heads)."""
        found = [np.zeros((3, 0), dtype=np.int64)]
        for family in _families(parts):
            before, after = family.bigrams
            heads = parts.heads[family.arcs[:, 0]][:, None]
            places = np.concatenate([heads, parts.modifiers[family.arcs]], axis=1)
            found.append(
                np.stack([np.broadcast_to(heads, places[:, after].shape), places[:, after], places[:, before]])
                .reshape(3, -1)
            )  # fmt: skip
        heads, modifiers, previous = np.concatenate(found, axis=1)
        return heads, modifiers, previous

    def factors(self, arcs: Any, parts: Parts) -> list[Placed]:
        """A head automaton for each head and side; those with as many candidates are one family."""
        placed, first = [], 0
        for family in _families(parts):
            count, degree = family.arcs.shape
            rows = slice(first, first + family.size)
            potentials = np.zeros((count, degree + 1, degree + 1))
            place = (np.arange(count).repeat(len(family.bigrams[0])), *(np.tile(b, count) for b in family.bigrams))
            placed.append(Placed(ChildSequence(arcs[family.arcs], potentials, name="childseq"), rows, place))
            first = rows.stop
        return placed

    def present(self, parts: Parts, tree: Floats) -> Floats:
        """Both children are there, and none between them."""
        found = [np.zeros(0)]
        for family in _families(parts):
            before, after = family.bigrams
            on = np.concatenate([np.ones((len(family.arcs), 1)), tree[family.arcs]], axis=1)
            upto = np.cumsum(on, axis=1)
            found.append((on[:, before] * on[:, after] * (upto[:, after] - upto[:, before] == 1)).ravel())
        return np.concatenate(found)


def _families(parts: Parts) -> list[_Family]:
    """Return the candidate children of all heads on either side, by their number."""
    return parts.derived("childseq", lambda: _group(parts))


def _group(parts: Parts) -> list[_Family]:
    right = parts.modifiers > parts.heads
    outwards = np.lexsort((np.abs(parts.modifiers - parts.heads), right, parts.heads))
    key = 2 * parts.heads[outwards] + right[outwards]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    lengths = np.diff(np.append(starts, len(key)))
    return [
        _Family(outwards[starts[lengths == degree][:, None] + np.arange(degree)]) for degree in np.unique(lengths)
    ]  # fmt: skip

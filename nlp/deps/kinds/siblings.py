"""Siblings m and s under one head, next to each other or not; the templates follow Carreras (2007)."""

from typing import ClassVar

from autodiff.array_types import Integers
from nlp.deps.kinds.pairs import PairKind
from nlp.deps.parts import Parts

__all__ = ["Siblings"]

_TEMPLATES = """
# Three words.
side adjacent dir dist.ms
h.tag m.tag s.tag side dir
h.coarse m.coarse s.coarse side dir
h.tag m.tag s.tag side dir dist.ms
h.coarse m.coarse s.coarse side dir dist dist.ms
h.form m.tag s.tag side dir
h.tag m.form s.tag side dir
h.tag m.tag s.form side dir
h.form m.form s.tag side dir
h.form m.tag s.form side dir
h.tag m.form s.form side dir
h.lemma m.tag s.tag side dir
h.tag m.lemma s.tag side dir
h.tag m.tag s.lemma side dir
h.lemma m.lemma s.lemma side dir
h.tag m.tag-1 m.tag s.tag side dir
h.tag m.tag m.tag+1 s.tag side dir
h.tag m.tag s.tag-1 s.tag side dir
h.tag m.tag s.tag s.tag+1 side dir
h.coarse m.coarse s.coarse between.punctuation.ms between.conjunction.ms side dir
m.tag s.tag side dir adjacent
m.form s.form side dir
# Two of them, at the cost of the pairs alone.
m.tag s.tag dir.ms dist.ms?
m.coarse s.coarse dir.ms dist.ms?
m.form s.tag dir.ms dist.ms?
m.tag s.form dir.ms dist.ms?
m.form s.form dir.ms
m.form m.tag s.tag dir.ms dist.ms
m.tag s.form s.tag dir.ms dist.ms
m.lemma s.tag dir.ms dist.ms?
m.tag s.lemma dir.ms dist.ms?
m.lemma s.lemma dir.ms
m.tag s.tag s.suffix3 dir.ms
m.tag m.suffix3 s.tag dir.ms
m.morph s.morph dir.ms
m.morph s.tag dir.ms
m.tag s.morph dir.ms
m.tag m.tag+1 s.tag-1 s.tag dir.ms dist.ms?
m.tag-1 m.tag s.tag s.tag+1 dir.ms dist.ms?
m.tag-1 m.tag s.tag-1 s.tag dir.ms dist.ms?
m.tag m.tag+1 s.tag s.tag+1 dir.ms dist.ms?
m.tag m.tag+1 s.tag dir.ms dist.ms?
m.tag-1 m.tag s.tag dir.ms dist.ms?
m.tag s.tag-1 s.tag dir.ms dist.ms?
m.tag s.tag s.tag+1 dir.ms dist.ms?
between.coarse.ms m.coarse s.coarse dir.ms
between.punctuation.ms m.tag s.tag dir.ms
between.predicate.ms m.tag s.tag dir.ms
between.conjunction.ms m.tag s.tag dir.ms
"""


class Siblings(PairKind):
    """One part for each pair of candidate arcs h → m and h → s, m before s."""

    name: ClassVar[str] = "sibling"
    title: ClassVar[str] = "siblings"
    option: ClassVar[str] = "siblings"
    default: ClassVar[bool] = True
    help: ClassVar[str] = "Factors for all pairs of siblings."
    roles: ClassVar[tuple[str, ...]] = ("h", "m", "s")
    templates: ClassVar[str] = _TEMPLATES

    def pairs(self, parts: Parts) -> Integers:
        """The arcs h → m and h → s."""
        return parts.siblings

    def positions(self, parts: Parts) -> tuple[Integers, ...]:
        """Heads, first and second modifiers."""
        one, other = parts.siblings.T
        return parts.heads[one], parts.modifiers[one], parts.modifiers[other]

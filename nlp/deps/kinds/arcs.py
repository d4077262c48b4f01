"""Arcs h → m.

The templates are those of McDonald, Crammer & Pereira (2005) with the lemmas, coarse tags, morphology and wider
contexts of Martins et al. (2010).
"""

from typing import Any, ClassVar

import numpy as np

from autodiff.array_types import Floats, Integers
from nlp.deps.kinds.base import PartKind
from nlp.deps.parts import Parts
from pgm.factors import Table
from pgm.learning import Placed

__all__ = ["Arcs"]

_TEMPLATES = """
# One word.
dir dist?
h.form dir dist?
h.lemma dir
h.tag dir dist?
h.coarse dir dist?
h.form h.tag dir dist?
h.morph dir
h.morph h.tag dir
m.form dir dist?
m.lemma dir
m.tag dir dist?
m.coarse dir dist?
m.form m.tag dir dist?
m.morph dir
m.morph m.tag dir
# Both words.
h.tag m.tag dir dist?
h.coarse m.coarse dir dist?
h.form m.form dir dist?
h.lemma m.lemma dir dist?
h.form m.tag dir dist?
h.tag m.form dir dist?
h.lemma m.tag dir dist?
h.tag m.lemma dir dist?
h.form h.tag m.tag dir dist?
h.tag m.form m.tag dir dist?
h.form h.tag m.form dir
h.form m.form m.tag dir
h.form h.tag m.form m.tag dir dist?
h.morph m.morph dir
h.morph h.tag m.morph m.tag dir
h.morph m.tag dir
h.tag m.morph dir
# Words that are rare or new.
h.tag m.tag m.suffix3 dir dist?
h.tag h.suffix3 m.tag dir dist?
h.tag h.suffix2 m.tag m.suffix2 dir
h.tag m.tag m.prefix3 dir
h.tag m.tag m.shape dir
h.tag h.shape m.tag dir
h.tag h.frequency m.tag m.frequency dir
# Words around them.
h.tag h.tag+1 m.tag-1 m.tag dir dist?
h.tag-1 h.tag m.tag-1 m.tag dir dist?
h.tag h.tag+1 m.tag m.tag+1 dir dist?
h.tag-1 h.tag m.tag m.tag+1 dir dist?
h.tag h.tag+1 m.tag dir dist?
h.tag-1 h.tag m.tag dir dist?
h.tag m.tag-1 m.tag dir dist?
h.tag m.tag m.tag+1 dir dist?
h.tag+1 m.tag-1 m.tag dir
h.tag-1 m.tag m.tag+1 dir
h.tag h.tag+1 m.tag-1 dir
h.tag-1 h.tag m.tag+1 dir
h.tag-1 h.tag h.tag+1 m.tag dir
h.tag m.tag-1 m.tag m.tag+1 dir
h.tag-1 h.tag h.tag+1 m.tag-1 m.tag m.tag+1 dir
h.tag-2 h.tag-1 h.tag m.tag dir
h.tag h.tag+1 h.tag+2 m.tag dir
h.tag m.tag-2 m.tag-1 m.tag dir
h.tag m.tag m.tag+1 m.tag+2 dir
h.coarse h.coarse+1 m.coarse-1 m.coarse dir dist?
h.coarse-1 h.coarse m.coarse-1 m.coarse dir dist?
h.coarse h.coarse+1 m.coarse m.coarse+1 dir dist?
h.coarse-1 h.coarse m.coarse m.coarse+1 dir dist?
h.tag m.form-1 m.tag dir
h.tag m.tag m.form+1 dir
h.form-1 h.tag m.tag dir
h.tag h.form+1 m.tag dir
h.tag m.lemma m.tag-1 dir
h.tag m.lemma m.tag+1 dir
h.lemma h.tag-1 m.tag dir
h.lemma h.tag+1 m.tag dir
# What is between them.
between.tag h.tag m.tag dir dist?
between.coarse h.coarse m.coarse dir
between.tag h.form m.tag dir
between.tag h.tag m.form dir
between.punctuation h.tag m.tag dir
between.predicate h.tag m.tag dir
between.conjunction h.tag m.tag dir
between.punctuation between.predicate between.conjunction dir dist?
between.punctuation between.predicate h.coarse m.coarse dir
"""


class Arcs(PartKind):
    """One part for each candidate arc."""

    name: ClassVar[str] = "arc"
    roles: ClassVar[tuple[str, ...]] = ("h", "m")
    templates: ClassVar[str] = _TEMPLATES

    def positions(self, parts: Parts) -> tuple[Integers, ...]:
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

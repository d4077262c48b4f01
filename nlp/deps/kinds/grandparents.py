"""Grandparents g → h → m, and their templates (Carreras 2007)."""

from typing import ClassVar

from autodiff.array_types import Integers
from nlp.deps.kinds.pairs import PairKind
from nlp.deps.parts import Parts

__all__ = ["Grandparents"]

_TEMPLATES = """
# Three words.
shape.gp dir dir.gh
g.tag h.tag m.tag shape.gp dir
g.coarse h.coarse m.coarse shape.gp dir
g.tag h.tag m.tag shape.gp dir dist dist.gh
g.form h.tag m.tag shape.gp dir
g.tag h.form m.tag shape.gp dir
g.tag h.tag m.form shape.gp dir
g.form h.form m.tag shape.gp dir
g.form h.tag m.form shape.gp dir
g.tag h.form m.form shape.gp dir
g.lemma h.tag m.tag shape.gp dir
g.tag h.lemma m.tag shape.gp dir
g.tag h.tag m.lemma shape.gp dir
g.lemma h.lemma m.lemma shape.gp dir
g.tag h.tag m.tag-1 m.tag shape.gp dir
g.tag h.tag m.tag m.tag+1 shape.gp dir
g.tag h.tag-1 h.tag m.tag shape.gp dir
g.tag h.tag h.tag+1 m.tag shape.gp dir
g.tag-1 g.tag h.tag m.tag shape.gp dir
g.tag g.tag+1 h.tag m.tag shape.gp dir
g.tag m.tag shape.gp dir
# Two of them, at the cost of the pairs alone.
g.tag m.tag dir.gm dist.gm?
g.coarse m.coarse dir.gm dist.gm?
g.form m.tag dir.gm dist.gm?
g.tag m.form dir.gm dist.gm?
g.form m.form dir.gm
g.form g.tag m.tag dir.gm dist.gm
g.tag m.form m.tag dir.gm dist.gm
g.lemma m.tag dir.gm dist.gm?
g.tag m.lemma dir.gm dist.gm?
g.lemma m.lemma dir.gm
g.tag m.tag m.suffix3 dir.gm
g.tag g.suffix3 m.tag dir.gm
g.morph m.morph dir.gm
g.morph m.tag dir.gm
g.tag m.morph dir.gm
g.tag g.tag+1 m.tag-1 m.tag dir.gm dist.gm?
g.tag-1 g.tag m.tag m.tag+1 dir.gm dist.gm?
g.tag-1 g.tag m.tag-1 m.tag dir.gm dist.gm?
g.tag g.tag+1 m.tag m.tag+1 dir.gm dist.gm?
g.tag g.tag+1 m.tag dir.gm dist.gm?
g.tag-1 g.tag m.tag dir.gm dist.gm?
g.tag m.tag-1 m.tag dir.gm dist.gm?
g.tag m.tag m.tag+1 dir.gm dist.gm?
between.coarse.gm g.coarse m.coarse dir.gm
between.punctuation.gm g.tag m.tag dir.gm
between.predicate.gm g.tag m.tag dir.gm
between.conjunction.gm g.tag m.tag dir.gm
"""


class Grandparents(PairKind):
    """One part for each pair of candidate arcs g → h and h → m."""

    name: ClassVar[str] = "grandparent"
    title: ClassVar[str] = "grandparents"
    option: ClassVar[str] = "grandparents"
    default: ClassVar[bool] = True
    help: ClassVar[str] = "Factors for grandparents."
    roles: ClassVar[tuple[str, ...]] = ("g", "h", "m")
    templates: ClassVar[str] = _TEMPLATES

    def pairs(self, parts: Parts) -> Integers:
        """The arcs g → h and h → m."""
        return parts.grandparents

    def positions(self, parts: Parts) -> tuple[Integers, ...]:
        """Grandparents, heads and modifiers."""
        above, arc = parts.grandparents.T
        return parts.heads[above], parts.heads[arc], parts.modifiers[arc]

"""The features of an arc that are conjoined with each relation that it may have."""

from typing import ClassVar

from nlp.deps.templated import Templated

__all__ = ["RelationFeatures"]

_TEMPLATES = """
dir dist
h.tag m.tag dir dist?
h.coarse m.coarse dir dist
h.form m.form dir
h.lemma m.lemma dir
h.lemma m.tag dir
h.tag m.lemma dir
m.form m.tag dir
m.lemma dir dist
h.lemma h.tag dir
h.form m.tag dir
h.tag m.form dir
m.lemma m.tag h.coarse dir
h.coarse m.lemma m.lemma+1 dir
h.coarse m.tag m.lemma-1 dir
h.lemma m.tag m.lemma-1 dir
h.tag m.tag m.form+1 dir
h.tag m.tag m.tag-1 m.tag+1 dir
h.tag m.tag m.tag-1 m.tag-2 dir
h.tag m.tag m.tag+1 m.tag+2 dir
h.tag h.tag+1 m.tag dir
h.tag-1 h.tag m.tag dir
h.tag-1 h.tag h.tag+1 m.tag-1 m.tag m.tag+1 dir
h.coarse m.coarse between.tag dir
h.coarse m.coarse between.coarse dir
h.lemma m.coarse between.tag dir
h.coarse m.coarse between.punctuation between.predicate between.conjunction dir
h.coarse m.coarse between.punctuation dir dist
h.morph m.coarse dir
h.coarse m.morph dir
h.morph m.morph dir
h.coarse m.suffix3 m.tag dir
h.suffix3 h.tag m.tag dir
h.coarse m.coarse m.shape dir
h.lemma m.suffix3 dir
"""


class RelationFeatures(Templated):
    """Of one arc with its relation."""

    name: ClassVar[str] = "relation"
    roles: ClassVar[tuple[str, ...]] = ("h", "m")
    templates: ClassVar[str] = _TEMPLATES

"""The features by which the pruner scores arcs: fewer than those of the model, of tags above all."""

from typing import ClassVar

from nlp.deps.templated import Templated

__all__ = ["PrunerFeatures"]

_TEMPLATES = """
dir dist
h.form dir
m.form dir dist?
h.tag dir dist?
m.tag dir dist?
h.coarse dir dist?
m.coarse dir dist?
h.tag m.tag dir dist?
h.coarse m.coarse dir dist?
h.form m.tag dir
h.tag m.form dir
h.tag h.tag+1 m.tag-1 m.tag dir dist?
h.tag-1 h.tag m.tag-1 m.tag dir
h.tag h.tag+1 m.tag m.tag+1 dir
h.tag-1 h.tag m.tag m.tag+1 dir dist?
h.tag m.tag-1 m.tag dir
h.tag m.tag m.tag+1 dir dist?
h.tag h.tag+1 m.tag dir dist?
h.tag-1 h.tag m.tag dir
h.tag m.tag-1 m.tag m.tag+1 dir
h.coarse-1 h.coarse h.coarse+1 m.coarse-1 m.coarse m.coarse+1 dir
h.tag m.tag m.suffix3 dir
between.tag h.tag m.tag dir
between.punctuation h.tag m.tag dir
between.predicate h.tag m.tag dir
between.punctuation between.predicate between.conjunction dir dist
"""


class PrunerFeatures(Templated):
    """Of one arc."""

    name: ClassVar[str] = "pruner"
    roles: ClassVar[tuple[str, ...]] = ("h", "m")
    templates: ClassVar[str] = _TEMPLATES

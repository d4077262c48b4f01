"""Arcs h → m, each with every relation that it may have."""

from typing import ClassVar

import numpy as np

from autodiff.array_types import Floats, Integers
from nlp.deps.kinds.labelled import LabelledKind, RelationVariables
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from pgm.factors import Table
from pgm.learning import Placed

__all__ = ["Relations"]

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
h.coarse m.lemma m.tag dir
h.coarse m.lemma m.lemma+1 dir
h.coarse m.lemma-1 m.lemma dir
h.coarse m.lemma-1 m.tag dir
h.coarse m.lemma-2 m.tag dir
h.lemma m.lemma-1 m.tag dir
h.tag m.tag m.form+1 dir
h.tag m.tag-1 m.tag m.tag+1 dir
h.tag m.tag-2 m.tag-1 m.tag dir
h.tag m.tag m.tag+1 m.tag+2 dir
h.tag h.tag+1 m.tag dir
h.tag-1 h.tag m.tag dir
h.tag-1 h.tag h.tag+1 m.tag-1 m.tag m.tag+1 dir
between.tag h.coarse m.coarse dir
between.coarse h.coarse m.coarse dir
between.tag h.lemma m.coarse dir
between.punctuation between.predicate between.conjunction h.coarse m.coarse dir
between.punctuation h.coarse m.coarse dir dist
h.morph m.coarse dir
h.coarse m.morph dir
h.morph m.morph dir
h.coarse m.suffix3 m.tag dir
h.suffix3 h.tag m.tag dir
h.coarse m.shape m.coarse dir
h.lemma m.suffix3 dir
"""


class Relations(LabelledKind):
    """One part for each candidate arc and relation."""

    name: ClassVar[str] = "relation"
    roles: ClassVar[tuple[str, ...]] = ("h", "m")
    templates: ClassVar[str] = _TEMPLATES

    def label_count(self, relations: int) -> int:
        """The relations themselves."""
        return relations

    def positions(self, parts: Parts, relations: RelationSums) -> tuple[Integers, ...]:
        """Heads and modifiers."""
        return parts.heads, parts.modifiers

    def labels(self, parts: Parts, relations: RelationSums) -> tuple[Integers, Integers]:
        """Those that each arc may have."""
        return relations.starts, relations.labels

    def factors(self, variables: RelationVariables, parts: Parts, relations: RelationSums) -> list[Placed]:
        """A table for each variable; states that stand for no relation are impossible."""
        placed = []
        for group, array in enumerate(variables.arrays):
            potentials = np.full((len(array), array.cardinality), -np.inf)
            potentials[:, 0] = 0.0
            rows = np.flatnonzero(variables.groups[relations.arcs] == group)
            place = (variables.rows[relations.arcs[rows]], variables.states[rows])
            placed.append(Placed(Table(array[:, None], potentials, name="relations"), rows, place))
        return placed

    def present(self, parts: Parts, relations: RelationSums, chosen: Floats) -> Floats:
        """The indicator itself."""
        return chosen

    def gains(self, parts: Parts, relations: RelationSums, chosen: Floats, scores: Floats) -> Floats:
        """Its score."""
        return scores

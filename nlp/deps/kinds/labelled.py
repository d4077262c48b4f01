"""The contract of a kind of parts with relations, and the variables that such parts look at.

Legend: A candidate arcs; T pairs of an arc with a relation that it may have (see `RelationSums`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats, Integers
from nlp.deps.kinds.switched import Switched
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from pgm import FactorGraph
from pgm.learning import Placed
from pgm.variables import VariableArray

__all__ = ["LabelledKind", "RelationVariables"]

# Families of tables cost time by their number, and tables by states in vain: 2, 8, 32, … states are a compromise.
_LEAST_STATES, _GROWTH = 2, 4


@frozen(eq=False)
class RelationVariables:
    """A variable for the relation of each candidate arc (L_irj of Smith & Eisner 2008).

    State 0 says that there is no arc, states 1, 2, … are the relations that the arc may have.  Variables with about as
    many states are one array; those with fewer never are in the states beyond, because `Relations` forbids them.

    Attributes
    ----------
    arrays : of variables
    groups, rows : (A,) the array that an arc's variable is in, and its place there
    states : (T,) the state for each relation of each arc
    """

    arrays: Sequence[VariableArray] = field(repr=False)
    groups: Integers = field(repr=False)
    rows: Integers = field(repr=False)
    states: Integers = field(repr=False)

    @classmethod
    def of(cls, graph: FactorGraph, relations: RelationSums) -> "RelationVariables":
        """Add the variables to a graph.

        >>> relations = RelationSums(np.array([0, 1, 4]), np.array([2, 0, 1, 2]), ("det", "nsubj", "obj"))
        >>> RelationVariables.of(FactorGraph(), relations)
        RelationVariables(2 variables of 2, 8 states)
        """
        groups = cls.groups_of(relations)
        rows = np.zeros(len(groups), dtype=np.int64)
        arrays = []
        for group in range(groups.max(initial=-1) + 1):
            members = np.flatnonzero(groups == group)
            rows[members] = np.arange(len(members))
            arrays.append(graph.variables(f"relation {group}", len(members), _LEAST_STATES * _GROWTH**group))
        states = np.arange(1, len(relations) + 1) - relations.starts[relations.arcs]
        return cls(arrays, groups, rows, states)

    @staticmethod
    def groups_of(relations: RelationSums) -> Integers:
        """Return (A,): the array that an arc's variable is in, by how many relations it may have."""
        states = relations.counts + 1
        return np.ceil(np.log(states / _LEAST_STATES) / np.log(_GROWTH) - 1e-9).astype(np.int64)

    def __repr__(self) -> str:
        sizes = ", ".join(str(array.cardinality) for array in self.arrays)
        return f"RelationVariables({len(self.groups)} variables of {sizes} states)"


class LabelledKind(Switched, ABC):
    """Parts of a labelled tree: arcs with their relations.

    What is scored are places in the sentence, each with every label that it may have: relations, or combinations of
    them.  Scores are listed place by place in the order of the labels, and all methods speak of them in this order.
    """

    @abstractmethod
    def label_count(self, relations: int) -> int:
        """Return how many labels there are, given the number of relations."""

    @abstractmethod
    def positions(self, parts: Parts, relations: RelationSums) -> tuple[Integers, ...]:
        """Return one array (places,) of words for each role of the templates."""

    @abstractmethod
    def labels(self, parts: Parts, relations: RelationSums) -> tuple[Integers, Integers]:
        """Return (places + 1,) and (count,): place k may have labels[starts[k] : starts[k + 1]]."""

    @abstractmethod
    def factors(self, variables: RelationVariables, parts: Parts, relations: RelationSums) -> list[Placed]:
        """Return factors over the variables of relations, and where among their potentials the scores go."""

    @abstractmethod
    def present(self, parts: Parts, relations: RelationSums, chosen: Floats) -> Floats:
        """Return (count,): 1 for what is in a labelled tree, given the indicator (T,) of its arcs with relations."""

    @abstractmethod
    def gains(self, parts: Parts, relations: RelationSums, chosen: Floats, scores: Floats) -> Floats:
        """Return (T,): what each relation would add to the score of a labelled tree, beside those of other arcs."""

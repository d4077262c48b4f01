"""Pairs of relations: those of two modifiers of one word, m before s.

They say for instance that a verb seldom has two subjects, which nothing else in a model of arcs with relations does.
The root has no pairs: in most treebanks it has one modifier, and its relations are all alike.
"""

from typing import ClassVar

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats, Integers
from nlp.deps import kernels
from nlp.deps.kinds.labelled import LabelledKind, RelationVariables
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from nlp.features.layout import LINE
from pgm.factors import Table
from pgm.learning import Placed

__all__ = ["RelationPairs"]

_MOST_GROUPS = 64  # of variables by their states
_TEMPLATES = """
side dir
h.coarse side dir
h.tag side dir
h.lemma side dir
h.coarse m.coarse s.coarse side dir
"""


@frozen(eq=False)
class _Listing:
    """All pairs of relations of all pairs of siblings; T as in `RelationSums`.

    Attributes
    ----------
    siblings : (pairs, 2) arcs h → m and h → s, by the groups of their variables
    families : of each pair
    starts, labels : of the pairs of relations, r for m and q for s as one number
    first, second : (count,) the arcs with their relations, as numbers below T
    """

    siblings: Integers = field()
    families: Integers = field()
    starts: Integers = field()
    labels: Integers = field()
    first: Integers = field()
    second: Integers = field()


class RelationPairs(LabelledKind):
    """One part for each pair of candidate arcs h → m and h → s, and each relation of the one and of the other."""

    name: ClassVar[str] = "relation_pair"
    option: ClassVar[str] = "relation_pairs"
    default: ClassVar[bool] = True
    help: ClassVar[str] = "Factors for the relations of siblings (labels=joint)."
    roles: ClassVar[tuple[str, ...]] = ("h", "m", "s")
    templates: ClassVar[str] = _TEMPLATES

    def label_count(self, relations: int) -> int:
        """The relation of m tells the line of a feature's weights, that of s the place in it: see `LabelHasher`."""
        return relations * _width(relations)

    def positions(self, parts: Parts, relations: RelationSums) -> tuple[Integers, ...]:
        """Heads, first and second modifiers."""
        one, other = _by_family(parts, relations)[0].T
        return parts.heads[one], parts.modifiers[one], parts.modifiers[other]

    def labels(self, parts: Parts, relations: RelationSums) -> tuple[Integers, Integers]:
        """Every relation of the one with every relation of the other."""
        listing = _listing(parts, relations)
        return listing.starts, listing.labels

    def factors(self, variables: RelationVariables, parts: Parts, relations: RelationSums) -> list[Placed]:
        """A table for each pair of variables; those of as many states are one family."""
        listing, placed = _listing(parts, relations), []
        for family in np.unique(listing.families):
            begin, end = np.searchsorted(listing.families, [family, family + 1])
            one, other = (variables.arrays[group] for group in divmod(int(family), _MOST_GROUPS))
            places = variables.rows[listing.siblings[begin:end]]
            potentials = np.zeros((end - begin, one.cardinality, other.cardinality))
            table = Table([one[places[:, 0]], other[places[:, 1]]], potentials, name="relation pairs")
            rows = slice(listing.starts[begin], listing.starts[end])
            of_row = np.repeat(np.arange(end - begin), np.diff(listing.starts[begin : end + 1]))
            states = variables.states[listing.first[rows]], variables.states[listing.second[rows]]
            placed.append(Placed(table, rows, (of_row, *states)))
        return placed

    def present(self, parts: Parts, relations: RelationSums, chosen: Floats) -> Floats:
        """Both arcs are in the tree with these relations."""
        listing = _listing(parts, relations)
        return np.asarray(chosen[listing.first] * chosen[listing.second])

    def gains(self, parts: Parts, relations: RelationSums, chosen: Floats, scores: Floats) -> Floats:
        """Return the sum over the siblings that are there."""
        listing, many = _listing(parts, relations), len(relations)
        first, second = chosen[listing.first] > 0, chosen[listing.second] > 0
        gains = np.zeros(many)
        gains += np.bincount(listing.first[second], weights=scores[second], minlength=many)
        gains += np.bincount(listing.second[first], weights=scores[first], minlength=many)
        return gains


def _width(relations: int) -> int:
    """Return the number of relations, made up to whole lines."""
    return -(-relations // LINE) * LINE


def _by_family(parts: Parts, relations: RelationSums) -> tuple[Integers, Integers]:
    """Return the pairs of siblings, and their families, in the order of these."""
    siblings = parts.siblings[parts.heads[parts.siblings[:, 0]] > 0]
    groups = RelationVariables.groups_of(relations)[siblings]
    families = groups[:, 0] * _MOST_GROUPS + groups[:, 1]
    order = np.argsort(families, kind="stable")
    return siblings[order], families[order]


def _listing(parts: Parts, relations: RelationSums) -> _Listing:
    """List the pairs anew each time: those of all training sentences would not fit into memory."""
    siblings, families = _by_family(parts, relations)
    width = _width(len(relations.all_names))
    return _Listing(siblings, families, *kernels.relations.pairs(siblings, relations.starts, relations.labels, width))

"""The kinds of parts that a model scores, one a file.

A new kind is a file here and its line below: switches, templates, scores, inference, objectives, decoders and the model
file go by what its class says.
"""

from collections.abc import Iterable

from nlp.deps.kinds.arcs import Arcs
from nlp.deps.kinds.base import PartKind
from nlp.deps.kinds.child_sequences import ChildSequences
from nlp.deps.kinds.crossings import Crossings
from nlp.deps.kinds.grandparents import Grandparents
from nlp.deps.kinds.labelled import LabelledKind, RelationVariables
from nlp.deps.kinds.relation_pairs import RelationPairs
from nlp.deps.kinds.relations import Relations
from nlp.deps.kinds.siblings import Siblings
from nlp.deps.kinds.switched import Switched
from nlp.deps.kinds.switches import names_of, part_switches

__all__ = [
    "Arcs",
    "ChildSequences",
    "Crossings",
    "Grandparents",
    "LabelledKind",
    "PartKind",
    "RelationPairs",
    "RelationVariables",
    "Relations",
    "Siblings",
    "Switched",
    "kinds_named",
    "names_of",
    "part_switches",
]


def kinds_named(names: Iterable[str]) -> list[PartKind]:
    """Return kinds of parts, arcs first.

    >>> [kind.name for kind in kinds_named(["grandparent"])]
    ['arc', 'grandparent']
    """
    return [Arcs(), *(PartKind.named(name) for name in names)]

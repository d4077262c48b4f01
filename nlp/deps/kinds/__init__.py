"""The kinds of parts that a model scores, one a file.

A new kind is a file here, a set of templates with its name (`nlp.features.defaults`) and a line in `kinds_of`: scores,
inference, objectives, decoders and the model file go by this list.
"""

from nlp.deps.kinds.arcs import Arcs
from nlp.deps.kinds.base import PartKind, Placed
from nlp.deps.kinds.child_sequences import ChildSequences
from nlp.deps.kinds.crossings import Crossings
from nlp.deps.kinds.grandparents import Grandparents
from nlp.deps.kinds.siblings import Siblings
from nlp.deps.settings import ModelSettings

__all__ = ["PartKind", "Placed", "kinds_of"]

_ARCS, _GRANDPARENTS, _SIBLINGS, _SEQUENCES, _CROSSINGS = (
    Arcs(), Grandparents(), Siblings(), ChildSequences(), Crossings(),
)  # fmt: skip


def kinds_of(settings: ModelSettings) -> list[PartKind]:
    """Return the kinds of parts of a model, arcs first.

    Examples
    --------
    >>> [kind.name for kind in kinds_of(ModelSettings(siblings=False))]
    ['arc', 'grandparent']
    """
    switches = [
        (_GRANDPARENTS, settings.grandparents),
        (_SIBLINGS, settings.siblings),
        (_SEQUENCES, settings.childseq),
        (_CROSSINGS, settings.nocross),
    ]
    return [_ARCS, *(kind for kind, on in switches if on and settings.order == 2)]

"""How good the decoded assignments of graphs are."""

from collections.abc import Iterable

from pgm.learning.decoder import Decoder
from pgm.learning.decoders import MinimumBayesRisk
from pgm.learning.example import ExampleLike
from pgm.learning.graph_model import GraphModel

__all__ = ["accuracy"]


def accuracy(model: GraphModel, examples: Iterable[ExampleLike], *, decoder: Decoder | None = None) -> float:
    """Return the share of variables with a gold state that are decoded to it, observed ones aside.

    Parameters
    ----------
    decoder : by default for the least expected loss

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 4)
    >>> _ = graph.add(Table(x[[[0], [1], [2], [3]]], [0.0, 1.0]))
    >>> accuracy(GraphModel(), [(graph, [1, 0, 1, -1])]).__round__(3)
    0.667
    """
    right = known = 0
    for item in examples:
        instance = model.instance(item)
        example = instance.example
        decoded = model.decode(instance, decoder or MinimumBayesRisk())
        counts = (example.gold >= 0) & (example.evidence < 0)
        right += int((decoded == example.gold)[counts].sum())
        known += int(counts.sum())
    return right / known if known else float("nan")

"""MAP decoding: the answer of greatest score."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from attrs import frozen

from autodiff.array_types import Floats
from pgm.learning.decoder import Decoder
from pgm.learning.instance import Instance

__all__ = ["MaximumScore"]


@frozen
class MaximumScore(Decoder):
    """The answer of greatest score, or the best guess at it that the model's inference has.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> rain, wet = graph.variable("rain"), graph.variable("wet")
    >>> _ = graph.add(Table([rain, wet], np.log([[0.4, 0.0001], [0.3, 0.2999]])))
    >>> GraphModel().decode(graph, MaximumScore())
    array([0, 0])
    """

    name: ClassVar[str] = "map"

    def decode(self, instance: Instance, scores: Mapping[Any, Floats]) -> Any:
        """Return what the run finds."""
        return instance.run(scores).best()

    @classmethod
    def examples(cls) -> Iterable[Decoder]:
        """Yield the one that there is."""
        yield cls()

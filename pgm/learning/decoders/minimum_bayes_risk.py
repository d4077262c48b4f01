"""Decoding for the least expected loss under the beliefs."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from attrs import frozen

from autodiff.array_types import Floats
from pgm.learning.decoder import Decoder
from pgm.learning.instance import Instance

__all__ = ["MinimumBayesRisk"]


@frozen
class MinimumBayesRisk(Decoder):
    """The answer with the greatest expected number of right events (Gormley et al. 2015, eq. 3).

    For Hamming loss over the variables of a graph that is the most probable state of each.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> rain, wet = graph.variable("rain"), graph.variable("wet")
    >>> _ = graph.add(Table([rain, wet], np.log([[0.4, 0.0001], [0.3, 0.2999]])))
    >>> GraphModel().decode(graph, MinimumBayesRisk())
    array([1, 0])
    """

    name: ClassVar[str] = "mbr"

    def decode(self, instance: Instance, scores: Mapping[Any, Floats]) -> Any:
        """Return the answer with the greatest sum of beliefs."""
        return instance.space.search(instance.run(scores).beliefs)

    @classmethod
    def examples(cls) -> Iterable[Decoder]:
        """Yield the one that there is."""
        yield cls()

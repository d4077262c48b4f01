"""Decoding by the odds of beliefs."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import frozen

from autodiff.array_types import Floats
from pgm.learning.decoder import Decoder
from pgm.learning.instance import Instance

__all__ = ["LogOdds"]


@frozen
class LogOdds(Decoder):
    """The answer with the greatest sum of log b / (1 - b) over its events (Smith & Eisner 2008, §6).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> _ = graph.add(Table([graph.variable("x")], np.log([0.4, 0.6])))
    >>> GraphModel().decode(graph, LogOdds())
    array([1])
    """

    name: ClassVar[str] = "log-odds"

    def decode(self, instance: Instance, scores: Mapping[Any, Floats]) -> Any:
        """Return the answer with the greatest sum of log-odds."""
        beliefs = instance.run(scores).beliefs
        tiny = np.finfo(np.float64).tiny  # finite for 0 and 1 too
        return instance.space.search(np.log(np.maximum(beliefs, tiny)) - np.log(np.maximum(1.0 - beliefs, tiny)))

    @classmethod
    def examples(cls) -> Iterable[Decoder]:
        """Yield the one that there is."""
        yield cls()

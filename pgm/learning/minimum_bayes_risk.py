"""Decoding for the least expected loss under the beliefs, and how good it is."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm.belief_propagation import BeliefPropagation
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.learning.decoder import MakeDecoder
from pgm.learning.example import ExampleLike, as_example
from pgm.learning.variable_decoder import VariableDecoder

__all__ = ["accuracy", "minimum_bayes_risk"]


def minimum_bayes_risk(
    graph: FactorGraph,
    inference: Inference | None = None,
    *,
    evidence: Any = None,
    decoder: MakeDecoder = VariableDecoder,
) -> NDArray[np.int64]:
    """Return (variables,): the assignment of least expected loss under the beliefs.

    For Hamming loss that is the most probable state of each variable.  A structured decoder chooses the structure with
    the greatest expected recall (Gormley et al. 2015, eq. 3).

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> rain, wet = graph.variable("rain"), graph.variable("wet")
    >>> _ = graph.add(Table([rain, wet], np.log([[0.4, 0.0001], [0.3, 0.2999]])))
    >>> minimum_bayes_risk(graph)
    array([1, 0])
    """
    result = (inference or BeliefPropagation()).run(graph, evidence=evidence)
    return decoder(graph).decode(result.flat_beliefs)


def accuracy(
    examples: Iterable[ExampleLike], inference: Inference | None = None, *, decoder: MakeDecoder = VariableDecoder
) -> float:
    """Return the share of variables with a gold state that are decoded to it, observed ones aside.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 4)
    >>> _ = graph.add(Table(x[[[0], [1], [2], [3]]], [0.0, 1.0]))
    >>> accuracy([(graph, [1, 0, 1, -1])]).__round__(3)
    0.667
    """
    right = known = 0
    for item in examples:
        example = as_example(item)
        decoded = minimum_bayes_risk(example.graph, inference, evidence=example.observed, decoder=decoder)
        counts = (example.gold >= 0) & (example.evidence < 0)
        right += int((decoded == example.gold)[counts].sum())
        known += int(counts.sum())
    return right / known if known else float("nan")

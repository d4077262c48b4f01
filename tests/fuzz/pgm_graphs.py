"""Small graphs, and what inference says of them, for the recipes of `pgm`."""

from typing import Any

import numpy as np

from pgm import BeliefPropagation, FactorGraph, factors

__all__ = ["answers", "draws", "pair"]


def draws(*shape: int) -> Any:
    """Return normal numbers, always the same."""
    return np.random.default_rng(0).normal(size=shape)


def answers(graph: FactorGraph, **options: Any) -> Any:
    """Return beliefs, the log-partition or best assignment, and the score of all zeros."""
    result = BeliefPropagation(**{"iterations": 5, **options}).run(graph)
    summary = result.log_partition if options.get("mode", "sum") == "sum" else result.assignment()
    return result.beliefs, summary, graph.score(np.zeros(graph.num_variables, dtype=np.int64))


def pair(potentials: Any = None) -> FactorGraph:
    """Return a table over variables of three and two states."""
    graph = FactorGraph()
    x, y = graph.variable("x", 3), graph.variable("y")
    graph.add(factors.Table([x, y], draws(3, 2) if potentials is None else potentials))
    return graph

"""The same as `Real`, in logarithms: (log-add-exp, +)."""

from typing import TYPE_CHECKING

import numpy as np

from hypergraph import kernels
from hypergraph.semirings.base import Array, Semiring, check_nodes, check_values

if TYPE_CHECKING:
    from hypergraph.graph import Hypergraph

__all__ = ["LogSemiring"]


class LogSemiring(Semiring):
    """Total weight as its logarithm; -inf is zero.

    Examples
    --------
    >>> round(float(np.exp(LogSemiring().plus(np.log(0.5), np.log(0.25)))), 12)
    0.75
    """

    zero, one = -np.inf, 0.0

    def plus(self, left: Array, right: Array) -> Array:
        """Return log(e^left + e^right)."""
        return np.logaddexp(left, right)

    def times(self, left: Array, right: Array) -> Array:
        """Return left + right."""
        return np.add(left, right)

    def inside(self, graph: "Hypergraph", values: Array) -> Array:
        """Run the compiled loop."""
        return kernels.engine_log.inside(*graph.arrays, check_values(graph, values), np.empty(graph.num_edges))

    def outside(self, graph: "Hypergraph", values: Array, inside: Array) -> Array:
        """Run the compiled loop."""
        beta = check_nodes(graph, inside)
        return kernels.engine_log.outside(*graph.arrays, check_values(graph, values), beta, graph.root)

"""The real numbers that are not negative: (+, ×)."""

from typing import TYPE_CHECKING

import numpy as np

from hypergraph import kernels
from hypergraph.arrays import as_kernel_floats
from hypergraph.semirings.base import Array, Semiring, check_nodes, check_values

if TYPE_CHECKING:
    from hypergraph.graph import Hypergraph

__all__ = ["Real"]


class Real(Semiring):
    """Total weight in plain numbers: quick to read, but overflows where the log semiring does not.

    Examples
    --------
    >>> float(Real().plus(0.5, 0.25)), float(Real().times(0.5, 0.25))
    (0.75, 0.125)
    """

    zero, one = 0.0, 1.0

    def plus(self, left: Array, right: Array) -> Array:
        """Return left + right."""
        return np.add(left, right)

    def times(self, left: Array, right: Array) -> Array:
        """Return left × right."""
        return np.multiply(left, right)

    def lift(self, log_weights: Array) -> Array:
        """Return exp(log-weight)."""
        return np.exp(as_kernel_floats(log_weights, "weights"))

    def inside(self, graph: "Hypergraph", values: Array) -> Array:
        """Run the compiled loop."""
        return kernels.engine_real.inside(*graph.arrays, check_values(graph, values))

    def outside(self, graph: "Hypergraph", values: Array, inside: Array) -> Array:
        """Run the compiled loop."""
        beta = check_nodes(graph, inside)
        return kernels.engine_real.outside(*graph.arrays, check_values(graph, values), beta, graph.root)

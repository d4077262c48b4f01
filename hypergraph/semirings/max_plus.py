"""The best of all derivations: (max, +) on logarithms, also called the Viterbi or tropical semiring."""

from typing import TYPE_CHECKING

import numpy as np

from hypergraph import kernels
from hypergraph.semirings.base import Array, Semiring, check_nodes, check_values

if TYPE_CHECKING:
    from hypergraph.graph import Hypergraph

__all__ = ["MaxPlus"]


class MaxPlus(Semiring):
    """Log-weight of the best derivation; inside + outside of a node is its max-marginal.

    Examples
    --------
    >>> float(MaxPlus().plus(-1.0, -3.0)), float(MaxPlus().times(-1.0, -3.0))
    (-1.0, -4.0)
    """

    zero, one = -np.inf, 0.0

    def plus(self, left: Array, right: Array) -> Array:
        """Return the greater."""
        return np.maximum(left, right)

    def times(self, left: Array, right: Array) -> Array:
        """Return left + right."""
        return np.add(left, right)

    def inside(self, graph: "Hypergraph", values: Array) -> Array:
        """Run the compiled loop."""
        best_edge = np.empty(graph.num_nodes, dtype=np.int64)
        return kernels.engine_max.inside(*graph.arrays, check_values(graph, values), best_edge)

    def outside(self, graph: "Hypergraph", values: Array, inside: Array) -> Array:
        """Run the compiled loop."""
        beta = check_nodes(graph, inside)
        return kernels.engine_max.outside(*graph.arrays, check_values(graph, values), beta, graph.root)

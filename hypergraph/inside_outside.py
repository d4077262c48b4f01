"""Inside and outside passes over a hypergraph, and what they tell: the log-partition and every kind of marginal."""

from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from hypergraph import kernels
from hypergraph.arrays import as_flat_adjoint
from hypergraph.graph import Hypergraph
from hypergraph.structure import Structure

__all__ = ["InsideOutsideChart"]


@frozen(eq=False)
class InsideOutsideChart:
    """One run of inside-outside on a hypergraph in the log domain.

    Attributes
    ----------
    inside : (nodes,) log β
    conditional : (edges,) probability of each edge given its head
    """

    graph: Hypergraph = field()
    inside: NDArray[np.float64] = field()
    conditional: NDArray[np.float64] = field()

    @classmethod
    def run(cls, structure: Structure, weights: NDArray[np.float64]) -> "InsideOutsideChart":
        """Run the inside pass for checked log-weights.

        Raises
        ------
        ImpossibleError
            If the root has no derivation of weight above zero.
        """
        graph = structure.graph
        conditional = np.empty(graph.num_edges)
        flat = as_flat_adjoint(weights, graph.num_weights, "the vector of log-weights")
        inside = kernels.engine_log.inside(*graph.arrays, flat, conditional)
        if inside[graph.root] == -np.inf:
            raise structure.impossible()
        return cls(graph, inside, conditional)

    @property
    def log_partition(self) -> float:
        """The log of the total weight of all derivations."""
        return float(self.inside[self.graph.root])

    @cached_property
    def _posteriors(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        graph = self.graph
        edges = np.empty(graph.num_edges)
        nodes = kernels.engine_log.posteriors(
            graph.edge_start, graph.tail_start, graph.tails, self.conditional, graph.root, edges
        )
        return nodes, edges

    @property
    def node_marginals(self) -> NDArray[np.float64]:
        """(nodes,): how often each node is expected in a derivation (eq. 15)."""
        return self._posteriors[0]

    @property
    def edge_marginals(self) -> NDArray[np.float64]:
        """(edges,): how often each edge is expected in a derivation."""
        return self._posteriors[1]

    @cached_property
    def weight_marginals(self) -> NDArray[np.float64]:
        """(weights,): how often each weight is expected in a derivation; the gradient of the log-partition."""
        return self._sum_by_weight(self.edge_marginals)

    @property
    def entropy(self) -> float:
        """The entropy of the distribution over derivations, in nats: Σ_i p(i) H(q | i), a sum of positive terms."""
        possible = self.conditional > 0
        return -float(self.edge_marginals[possible] @ np.log(self.conditional[possible]))

    def backward(
        self, weight_adjoint: NDArray[np.float64] | None, node_adjoint: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the adjoint of the log-weights, given those of the marginals of weights and nodes (eqs 16–19)."""
        graph = self.graph
        if weight_adjoint is None:
            edge_adjoint = np.zeros(graph.num_edges)
        else:
            by_weight = as_flat_adjoint(weight_adjoint, graph.num_weights, "the adjoint of the marginals of weights")
            edge_adjoint = np.append(0.0, by_weight)[graph.weight_slot]
        if node_adjoint is None:
            node_adjoint = np.zeros(graph.num_nodes)
        node_adjoint = as_flat_adjoint(node_adjoint, graph.num_nodes, "the adjoint of the marginals of nodes")
        return self._sum_by_weight(
            kernels.engine_log.backward(
                graph.edge_start,
                graph.tail_start,
                graph.tails,
                self.conditional,
                self.node_marginals,
                graph.root,
                edge_adjoint,
                node_adjoint,
            )
        )

    def _sum_by_weight(self, by_edge: NDArray[np.float64]) -> NDArray[np.float64]:
        slots = self.graph.num_weights + 1
        return np.asarray(np.bincount(self.graph.weight_slot, by_edge, minlength=slots)[1:], dtype=np.float64)

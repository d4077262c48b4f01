"""Any hypergraph, one of your own or that of a structure, for a batch of weights: all examples in one call."""

from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike

from autodiff.array_types import Floats
from hypergraph import kernels
from hypergraph.arrays import as_kernel_floats
from hypergraph.batched.chart import check_adjoints, check_potentials, direction, scale_rows
from hypergraph.derivation import Derivation, EdgeDerivation
from hypergraph.errors import ImpossibleError, WeightError
from hypergraph.graph import Hypergraph
from hypergraph.structure import Structure

__all__ = ["HypergraphChart", "best_derivations"]


@frozen(eq=False)
class HypergraphChart:
    """Inside-outside on one hypergraph for each row of a batch of log-weights, in the log domain.

    Examples
    --------
    >>> from hypergraph import HypergraphBuilder
    >>> builder = HypergraphBuilder()
    >>> builder.edge("goal", weight="likely")
    >>> builder.edge("goal", weight="unlikely")
    >>> chart = HypergraphChart.run(builder.build("goal"), np.log([[3.0, 1.0], [1.0, 1.0]]))
    >>> np.exp(chart.log_partitions).round(9)
    array([4., 2.])
    >>> (marginals,) = chart.marginals
    >>> marginals.round(2)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """

    graph: Hypergraph = field()
    log_partitions: Floats = field()
    _shape: tuple[int, ...] = field(repr=False)
    _conditional: Floats = field(repr=False)

    @classmethod
    def run(cls, structure: Structure, weights: ArrayLike) -> "HypergraphChart":
        """Run the inside pass.

        Parameters
        ----------
        structure : a hypergraph, or a structure (whose own kernel, if it has one, is in its own chart)
        weights : (batch, …) log-weights; each row holds `structure.num_weights` of them, in any shape

        Raises
        ------
        ImpossibleError
            If a row has no derivation of weight above zero; the message says which.
        """
        graph, flat, shape = _check(structure, weights)
        conditional, log_partitions = np.empty((len(flat), graph.num_edges)), np.empty(len(flat))
        kernels.engine_batch.inside(*graph.arrays, flat, graph.root, conditional, log_partitions)
        _refuse_impossible(structure, log_partitions)
        return cls(graph, log_partitions, shape, conditional)

    @cached_property
    def _posteriors(self) -> tuple[Floats, Floats]:
        graph, batch = self.graph, len(self.log_partitions)
        nodes, edges = np.empty((batch, graph.num_nodes)), np.empty((batch, graph.num_edges))
        kernels.engine_batch.posteriors(
            graph.edge_start, graph.tail_start, graph.tails, self._conditional, graph.root, nodes, edges
        )
        return nodes, edges

    @property
    def node_marginals(self) -> Floats:
        """(batch, nodes): how often each node is expected in a derivation."""
        return self._posteriors[0]

    @property
    def edge_marginals(self) -> Floats:
        """(batch, edges): how often each edge is expected in a derivation."""
        return self._posteriors[1]

    @cached_property
    def marginals(self) -> tuple[Floats]:
        """((batch, …),): how often each weight is expected in a derivation, in the shape of the weights."""
        return (self._sum_by_weight(self.edge_marginals),)

    def log_partitions_backward(self, adjoint: Floats) -> tuple[Floats]:
        """Return the adjoint of the weights, given that of the log-partitions (batch,)."""
        return (scale_rows(adjoint, self.marginals[0]),)

    def backward(self, *adjoints: Any) -> tuple[Floats]:
        """Return the adjoint of the weights, given that of the marginals."""
        check_adjoints(adjoints, 1)
        graph, batch = self.graph, len(self.log_partitions)
        by_weight = direction(adjoints[0], self._shape, (batch, graph.num_weights))
        padded = np.concatenate([np.zeros((batch, 1)), by_weight], axis=1)
        by_edge = np.ascontiguousarray(padded[:, graph.weight_slot])
        result = np.empty((batch, graph.num_edges))
        kernels.engine_batch.backward(
            graph.edge_start, graph.tail_start, graph.tails, self._conditional, self.node_marginals, graph.root,
            by_edge, result,
        )  # fmt: skip
        return (self._sum_by_weight(result),)

    def _sum_by_weight(self, by_edge: Floats) -> Floats:
        slots, batch = self.graph.num_weights + 1, len(by_edge)
        places = np.arange(batch)[:, None] * slots + self.graph.weight_slot
        sums = np.bincount(places.ravel(), by_edge.ravel(), minlength=batch * slots).astype(np.float64, copy=False)
        return np.ascontiguousarray(sums.reshape(batch, slots)[:, 1:]).reshape(self._shape)


def best_derivations(structure: Structure, weights: ArrayLike) -> tuple[Floats, list[Derivation]]:
    """Return the scores (batch,) of the best derivations, and those; parameters are those of `HypergraphChart.run`.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> trees = ProjectiveTrees(2)
    >>> scores, derivations = best_derivations(trees, [[[0, 5, 1], [0, 0, 4], [0, 2, 0]], np.zeros((3, 3))])
    >>> scores, trees.decode(derivations[0])
    (array([9., 0.]), array([-1,  0,  1]))
    """
    graph, flat, _ = _check(structure, weights)
    scores, best_edge = np.empty(len(flat)), np.empty((len(flat), graph.num_nodes), dtype=np.int64)
    kernels.engine_batch.best(*graph.arrays, flat, graph.root, scores, best_edge)
    _refuse_impossible(structure, scores)
    edges = [kernels.engine_max.trace(graph.tail_start, graph.tails, row, graph.root) for row in best_edge]
    return scores, [EdgeDerivation(float(score), graph, chosen) for chosen, score in zip(edges, scores, strict=True)]


def _check(structure: Structure, weights: ArrayLike) -> tuple[Hypergraph, Floats, tuple[int, ...]]:
    """Return the hypergraph, the weights (batch, weights), and the shape in which they came."""
    array = as_kernel_floats(weights, "weights")
    if array.ndim < 2 or int(np.prod(array.shape[1:])) != structure.num_weights:
        raise WeightError(
            f"weights are (batch, …) with {structure.num_weights} numbers in each row for {structure.brief}, "
            f"not of shape {array.shape}"
        )
    checked = check_potentials("weights", array, ndim=array.ndim)
    return structure.graph, checked.reshape(len(array), structure.num_weights), array.shape


def _refuse_impossible(structure: Structure, totals: Floats) -> None:
    impossible = np.flatnonzero(totals == -np.inf)
    if len(impossible):
        raise ImpossibleError(
            f"row {impossible[0]} of the batch has no derivation of {structure.brief} without a weight of -inf "
            f"({len(impossible)} such rows in all); leave at least one derivation with finite weights"
        )

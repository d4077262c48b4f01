"""Inside-outside as modules of a circuit: log-weights in, the log-partition and marginals out."""

from typing import Any

import numpy as np

from autodiff import Backward, Module
from autodiff.array_types import Floats
from hypergraph.arrays import as_flat_adjoint
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.structure import Chart, Structure

__all__ = ["InsideOutside", "LogPartition", "Marginals"]


class _OfStructure(Module):
    """A module whose input is the log-weights of a fixed structure, in any shape."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    def _adjoint(self, chart: Chart, log_partition: Any, of_marginals: Floats | None, shape: Any) -> tuple[Floats]:
        adjoint = np.zeros(self.structure.num_weights)
        if log_partition is not None:
            scale = as_flat_adjoint(log_partition, 1, "the adjoint of the log-partition")[0]
            adjoint += scale * chart.weight_marginals
        if of_marginals is not None:
            adjoint += of_marginals
        return (adjoint.reshape(shape),)

    def _flat(self, marginals: Any) -> Floats:
        return as_flat_adjoint(marginals, self.structure.num_weights, "the adjoint of the marginals")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.structure.brief})"


class LogPartition(_OfStructure):
    """log-weights → log-partition.  The outside pass runs only in `backward`.

    Examples
    --------
    >>> from autodiff import check_gradients
    >>> from hypergraph.structures import ProjectiveTrees
    >>> module = LogPartition(ProjectiveTrees(3))
    >>> check_gradients(module, np.random.default_rng(0).normal(size=(4, 4))).passed
    True
    """

    def forward(self, log_weights: Floats) -> tuple[Floats, Backward]:
        """Return the log-partition, a 0-d array."""
        weights = self.structure.check_weights(log_weights)
        chart = self.structure.run(weights)

        def backward(adjoint: Any) -> tuple[Floats]:
            """Return the marginals of the weights times the adjoint."""
            return self._adjoint(chart, adjoint, None, weights.shape)

        return np.array(chart.log_partition), backward


class Marginals(_OfStructure):
    """log-weights → (log-partition, marginals of the weights), by the structure's own kernel where it has one.

    Examples
    --------
    >>> from autodiff import check_gradients
    >>> from hypergraph.structures import ProjectiveTrees
    >>> module = Marginals(ProjectiveTrees(3))
    >>> check_gradients(module, np.random.default_rng(0).normal(size=(4, 4))).passed
    True
    """

    output_count = 2

    def forward(self, log_weights: Floats) -> tuple[tuple[Floats, Floats], Backward]:
        """Return the log-partition and the marginals in the shape of the weights."""
        weights = self.structure.check_weights(log_weights)
        chart = self.structure.run(weights)

        def backward(log_partition: Any, marginals: Floats | None) -> tuple[Floats]:
            """Return the adjoint of the log-weights (Gormley et al. 2015, eqs 16–19)."""
            of_marginals = None if marginals is None else chart.backward(self._flat(marginals))
            return self._adjoint(chart, log_partition, of_marginals, weights.shape)

        return (np.array(chart.log_partition), chart.weight_marginals.reshape(weights.shape).copy()), backward


class InsideOutside(_OfStructure):
    """log-weights → (log-partition, marginals of the weights, marginals of the nodes), by the hypergraph.

    Examples
    --------
    >>> from autodiff import check_gradients
    >>> from hypergraph.structures import ProjectiveTrees
    >>> module = InsideOutside(ProjectiveTrees(3))
    >>> check_gradients(module, np.random.default_rng(0).normal(size=(4, 4))).passed
    True
    """

    output_count = 3

    def forward(self, log_weights: Floats) -> tuple[tuple[Floats, Floats, Floats], Backward]:
        """Return the log-partition, the marginals in the shape of the weights, and those of the nodes."""
        weights = self.structure.check_weights(log_weights)
        chart = InsideOutsideChart.run(self.structure, weights)
        by_weight = chart.weight_marginals.reshape(weights.shape).copy()

        def backward(log_partition: Any, marginals: Floats | None, nodes: Floats | None) -> tuple[Floats]:
            """Return the adjoint of the log-weights (Gormley et al. 2015, eqs 16–19)."""
            of_marginals = None
            if marginals is not None or nodes is not None:
                of_marginals = chart.backward(None if marginals is None else self._flat(marginals), nodes)
            return self._adjoint(chart, log_partition, of_marginals, weights.shape)

        return (np.array(chart.log_partition), by_weight, chart.node_marginals.copy()), backward

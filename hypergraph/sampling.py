"""Exact samples of derivations; in a hypergraph, by walking down from the root."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count, as_generator
from hypergraph import kernels
from hypergraph.derivation import Derivation, EdgeDerivation
from hypergraph.errors import WeightError
from hypergraph.graph import UNWEIGHTED
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.structure import Structure

__all__ = ["sample"]


def sample(structure: Structure, weights: ArrayLike, size: int, *, seed: int | np.random.Generator) -> list[Derivation]:
    """Draw derivations independently, each with probability proportional to its weight.

    Parameters
    ----------
    size : how many
    seed : an integer or a generator; the same seed gives the same samples

    Raises
    ------
    ImpossibleError
        If there is no derivation of weight above zero.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> trees = ProjectiveTrees(3)
    >>> samples = sample(trees, np.zeros((4, 4)), 2, seed=1)
    >>> len(samples), samples[0].score
    (2, 0.0)
    """
    size = as_count(size, "sample: size", WeightError)
    rng = as_generator(seed, "sample: seed", WeightError)
    return structure.draw(structure.check_weights(weights), size, rng)


def draw_from_graph(
    structure: Structure, weights: NDArray[np.float64], size: int, rng: np.random.Generator
) -> list[Derivation]:
    """Return samples of the derivations of a structure's hypergraph, for checked weights."""
    chart = InsideOutsideChart.run(structure, weights)
    graph = chart.graph
    flat = np.append(weights.reshape(-1), 0.0)  # the last stands for UNWEIGHTED == -1
    assert UNWEIGHTED == -1
    drawn: list[Derivation] = []
    for _ in range(size):
        edges = kernels.engine_log.draw(
            graph.edge_start, graph.tail_start, graph.tails, chart.conditional, graph.root, rng
        )
        drawn.append(EdgeDerivation(float(flat[graph.weight[edges]].sum()), graph, edges))
    return drawn

"""Exact samples of derivations, by walking down from the root."""

import numpy as np
from numpy.typing import ArrayLike

from autodiff.conversion import as_count, as_generator
from hypergraph import kernels
from hypergraph.derivation import Derivation
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
    weights = structure.check_weights(weights)
    chart = InsideOutsideChart.run(structure, weights)
    graph, rng = chart.graph, as_generator(seed, "sample: seed", WeightError)
    flat = np.append(weights.reshape(-1), 0.0)  # the last stands for UNWEIGHTED == -1
    assert UNWEIGHTED == -1
    drawn = []
    for _ in range(size):
        edges = kernels.engine_log.draw(
            graph.edge_start, graph.tail_start, graph.tails, chart.conditional, graph.root, rng
        )
        drawn.append(Derivation(graph, edges, float(flat[graph.weight[edges]].sum())))
    return drawn

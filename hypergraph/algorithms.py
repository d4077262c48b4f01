"""What can be asked of any hypergraph or structure and its log-weights.

Weights may come in any shape that holds the right number of them; marginals come back in the shape they came in.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypergraph.derivation import Derivation
from hypergraph.inside_outside import InsideOutsideChart
from hypergraph.semirings import LogSemiring, Semiring
from hypergraph.structure import Structure

__all__ = [
    "count",
    "edge_marginals",
    "entropy",
    "inside",
    "log_partition",
    "marginals",
    "node_marginals",
    "outside",
    "total",
    "viterbi",
]


def inside(structure: Structure, weights: ArrayLike, semiring: Semiring | None = None) -> NDArray[Any]:
    """Return the inside value of every node, `(nodes, *semiring.shape)`, in any semiring (by default `LogSemiring`).

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> inside(ProjectiveTrees(1), np.zeros((2, 2))).shape
    (6,)
    """
    semiring = semiring or LogSemiring()
    return semiring.inside(structure.graph, semiring.lift(structure.check_weights(weights).reshape(-1)))


def outside(structure: Structure, weights: ArrayLike, semiring: Semiring | None = None) -> NDArray[Any]:
    """Return the outside value of every node, `(nodes, *semiring.shape)`, in any commutative semiring.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> trees = ProjectiveTrees(2)
    >>> float(outside(trees, np.zeros((3, 3)))[trees.graph.root])
    0.0
    """
    semiring = semiring or LogSemiring()
    values = semiring.lift(structure.check_weights(weights).reshape(-1))
    return semiring.outside(structure.graph, values, semiring.inside(structure.graph, values))


def total(structure: Structure, weights: ArrayLike, semiring: Semiring) -> Any:
    """Return the total weight of all derivations in a semiring: the inside value of the root.

    Examples
    --------
    >>> from hypergraph.semirings import Boolean
    >>> from hypergraph.structures import ProjectiveTrees
    >>> bool(total(ProjectiveTrees(2), np.zeros((3, 3)), Boolean()))
    True
    """
    return inside(structure, weights, semiring)[structure.graph.root]


def count(structure: Structure, weights: ArrayLike | None = None) -> int:
    """Return the exact number of derivations (of those that `weights` leaves possible).

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> [count(ProjectiveTrees(n)) for n in range(1, 6)]
    [1, 3, 12, 55, 273]
    """
    return structure.count(structure.check_weights(np.zeros(structure.num_weights) if weights is None else weights))


def log_partition(structure: Structure, weights: ArrayLike) -> float:
    """Return the log of the total weight of all derivations.

    Raises
    ------
    ImpossibleError
        If no derivation has a weight above zero.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> round(float(np.exp(log_partition(ProjectiveTrees(3), np.zeros((4, 4))))), 9)
    12.0
    """
    return structure.run(structure.check_weights(weights)).log_partition


def marginals(structure: Structure, weights: ArrayLike) -> NDArray[np.float64]:
    """Return how often each weight is expected to be used in a derivation, in the shape of `weights`.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> marginals(ProjectiveTrees(2), np.zeros((3, 3))).round(3)
    array([[0.   , 0.667, 0.667],
           [0.   , 0.   , 0.333],
           [0.   , 0.333, 0.   ]])
    """
    weights = structure.check_weights(weights)
    return structure.run(weights).weight_marginals.reshape(weights.shape)


def node_marginals(structure: Structure, weights: ArrayLike) -> NDArray[np.float64]:
    """Return (nodes,): how often each node is expected in a derivation (Gormley et al. 2015, eq. 15).

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> trees = ProjectiveTrees(2)
    >>> float(node_marginals(trees, np.zeros((3, 3)))[trees.graph.root])
    1.0
    """
    return InsideOutsideChart.run(structure, structure.check_weights(weights)).node_marginals


def edge_marginals(structure: Structure, weights: ArrayLike) -> NDArray[np.float64]:
    """Return (edges,): how often each edge is expected in a derivation.

    Examples
    --------
    >>> from hypergraph import HypergraphBuilder
    >>> builder = HypergraphBuilder()
    >>> builder.edge("goal", weight="likely")
    >>> builder.edge("goal", weight="unlikely")
    >>> edge_marginals(builder.build("goal"), np.log([3.0, 1.0])).round(2)
    array([0.75, 0.25])
    """
    return InsideOutsideChart.run(structure, structure.check_weights(weights)).edge_marginals


def entropy(structure: Structure, weights: ArrayLike) -> float:
    """Return the entropy, in nats, of the distribution over derivations.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> round(float(np.exp(entropy(ProjectiveTrees(3), np.zeros((4, 4))))), 9)  # 12 trees, all alike
    12.0
    """
    return structure.entropy(structure.check_weights(weights))


def viterbi(structure: Structure, weights: ArrayLike) -> Derivation:
    """Return the best derivation; `structure.decode` says what it stands for.

    Of derivations that tie, the one whose edges come first in the hypergraph is returned (without a hypergraph, always
    the same one).

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> trees = ProjectiveTrees(2)
    >>> best = viterbi(trees, np.array([[0, 5, 1], [0, 0, 4], [0, 2, 0]]))
    >>> best.score, trees.decode(best)
    (9.0, array([-1,  0,  1]))
    """
    return structure.best_derivation(structure.check_weights(weights))

"""Inside and outside in any semiring: the plain reference that says what the kernels mean.

One step a node for the inside pass, one step an edge for the outside pass, in Python; the work of a step is on arrays.
"""

from typing import TYPE_CHECKING

import numpy as np

from hypergraph.graph import UNWEIGHTED, Hypergraph

if TYPE_CHECKING:
    from hypergraph.semirings.base import Array, Semiring

__all__ = ["inside", "outside"]


def inside(graph: Hypergraph, values: "Array", semiring: "Semiring") -> "Array":
    """Return β_i = ⊕_{e ∈ I(i)} w_e ⊗ β_{j₁} ⊗ β_{j₂} ⊗ … for every node (Gormley et al. 2015, eq. 13).

    Parameters
    ----------
    values : (weights, *semiring.shape)

    Returns
    -------
    (nodes, *semiring.shape)
    """
    beta = semiring.full(graph.num_nodes, semiring.zero)
    arity = np.diff(graph.tail_start)
    for node in range(graph.num_nodes):
        edges = np.arange(graph.edge_start[node], graph.edge_start[node + 1])
        products = semiring.full(len(edges), semiring.one)
        weighted = graph.weight[edges] != UNWEIGHTED
        products[weighted] = values[graph.weight[edges[weighted]]]
        for position in range(arity[edges].max()):
            longer = arity[edges] > position
            tails = graph.tails[graph.tail_start[edges[longer]] + position]
            products[longer] = semiring.times(products[longer], beta[tails])
        beta[node] = semiring.sum(products)
    return beta


def outside(graph: Hypergraph, values: "Array", beta: "Array", semiring: "Semiring") -> "Array":
    """Return α_j = ⊕_{e: j ∈ T(e)} α_{H(e)} ⊗ w_e ⊗ (⊗_{k ∈ T(e), k ≠ j} β_k) for every node (eq. 14).

    A node that occurs twice among the tails of an edge gets one term for each occurrence.
    """
    alpha = semiring.full(graph.num_nodes, semiring.zero)
    alpha[graph.root] = semiring.one
    for edge in range(graph.num_edges - 1, -1, -1):
        above = alpha[graph.head[edge]]
        if graph.weight[edge] != UNWEIGHTED:
            above = semiring.times(above, values[graph.weight[edge]])
        tails = graph.tails_of(edge)
        for position, tail in enumerate(tails):
            product = above
            for other in np.delete(tails, position):
                product = semiring.times(product, beta[other])
            alpha[tail] = semiring.plus(alpha[tail], product)
    return alpha

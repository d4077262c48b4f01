"""The best derivation over the edges of any hypergraph (max-plus semiring).  Arrays as in `engine_log`."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["inside", "outside", "trace"]


@kernel
def inside(edge_start, tail_start, tails, weight, log_weights, best_edge):
    """Return the log-weight of the best derivation of each node, and write its first edge into `best_edge`.

    Of edges that tie, the first wins; a node without a possible derivation has -inf and the edge -1.
    """
    beta = np.empty(len(edge_start) - 1)
    for node in range(len(beta)):
        best = -np.inf
        best_edge[node] = -1
        for edge in range(edge_start[node], edge_start[node + 1]):
            score = log_weights[weight[edge]] if weight[edge] >= 0 else 0.0
            for t in range(tail_start[edge], tail_start[edge + 1]):
                score += beta[tails[t]]
            if score > best:
                best = score
                best_edge[node] = edge
        beta[node] = best
    return beta


@kernel
def outside(edge_start, tail_start, tails, weight, log_weights, beta, root):
    """Return the best log-weight of what surrounds each node; plus `beta` it is the node's max-marginal."""
    alpha = np.full(len(beta), -np.inf)
    alpha[root] = 0.0
    for node in range(root, -1, -1):
        for edge in range(edge_start[node], edge_start[node + 1]):
            above = alpha[node] + (log_weights[weight[edge]] if weight[edge] >= 0 else 0.0)
            for t in range(tail_start[edge], tail_start[edge + 1]):
                term = above
                for other in range(tail_start[edge], tail_start[edge + 1]):
                    if other != t:
                        term += beta[tails[other]]
                alpha[tails[t]] = max(alpha[tails[t]], term)
    return alpha


@kernel
def trace(tail_start, tails, best_edge, root):
    """Return the edges of the best derivation of `root`, in preorder."""
    edges = [best_edge[root]]
    edges.pop()
    stack = [np.int64(root)]
    while len(stack) > 0:
        edge = best_edge[stack.pop()]
        edges.append(edge)
        for t in range(tail_start[edge + 1] - 1, tail_start[edge] - 1, -1):
            stack.append(np.int64(tails[t]))
    return np.array(edges)

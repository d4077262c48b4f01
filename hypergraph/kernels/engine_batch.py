"""`engine_log` and `engine_max` for a batch of weights on one hypergraph.  Arrays as there, with the batch in front."""

import numpy as np

from autodiff.kernels.compiler import kernel
from hypergraph.kernels import engine_log, engine_max

_inside, _posteriors, _backward = engine_log.inside, engine_log.posteriors, engine_log.backward
_best = engine_max.inside

__all__ = ["backward", "best", "inside", "posteriors"]


@kernel
def inside(edge_start, tail_start, tails, weight, log_weights, root, conditional, log_partitions):
    """Write q_e into `conditional` (batch, edges), and log β of the root into `log_partitions` (batch,)."""
    for b in range(len(log_weights)):
        beta = _inside(edge_start, tail_start, tails, weight, log_weights[b], conditional[b])
        log_partitions[b] = beta[root]


@kernel
def posteriors(edge_start, tail_start, tails, conditional, root, nodes, edges):
    """Write the probabilities of `nodes` (batch, nodes) and `edges` (batch, edges)."""
    for b in range(len(conditional)):
        nodes[b] = _posteriors(edge_start, tail_start, tails, conditional[b], root, edges[b])


@kernel
def backward(edge_start, tail_start, tails, conditional, nodes, root, edge_adjoint, adjoint):
    """Write the adjoints of the log-weights of edges, given those of their probabilities, both (batch, edges)."""
    node_adjoint = np.zeros(nodes.shape[1])
    for b in range(len(conditional)):
        adjoint[b] = _backward(
            edge_start, tail_start, tails, conditional[b], nodes[b], root, edge_adjoint[b], node_adjoint
        )


@kernel
def best(edge_start, tail_start, tails, weight, log_weights, root, scores, best_edge):
    """Write the log-weights of the best derivations (batch,), and the first edge of each node (batch, nodes)."""
    for b in range(len(log_weights)):
        beta = _best(edge_start, tail_start, tails, weight, log_weights[b], best_edge[b])
        scores[b] = beta[root]

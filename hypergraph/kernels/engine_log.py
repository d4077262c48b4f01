"""Inside-outside over the edges of any hypergraph, in the log domain.

One exponential an edge.  The inside pass leaves behind, for each edge e into node i, its probability *given* its head,

    q_e = w_e Π_{j ∈ T(e)} β_j / β_i,

and all that follows is sums and products of those: they lie in [0, 1] and nothing is ever subtracted or divided, so
nothing overflows, an underflow is a true zero to the last digit, and -inf needs no special case.

Every array is one of a `Hypergraph`: edges of node i at edge_start[i]:edge_start[i + 1], tails of edge e at
tail_start[e]:tail_start[e + 1], weight[e] < 0 for an edge that multiplies by one.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["backward", "draw", "inside", "outside", "posteriors"]


@kernel
def inside(edge_start, tail_start, tails, weight, log_weights, conditional):
    """Return log β (eq. 13), and write q_e into `conditional` (edges,)."""
    beta = np.empty(len(edge_start) - 1)
    for node in range(len(beta)):
        first, last = edge_start[node], edge_start[node + 1]
        best = -np.inf
        for edge in range(first, last):
            score = log_weights[weight[edge]] if weight[edge] >= 0 else 0.0
            for t in range(tail_start[edge], tail_start[edge + 1]):
                score += beta[tails[t]]
            conditional[edge] = score
            best = max(best, score)
        if best == -np.inf:
            beta[node] = -np.inf
            conditional[first:last] = 0.0
            continue
        total = 0.0
        for edge in range(first, last):
            conditional[edge] = np.exp(conditional[edge] - best)
            total += conditional[edge]
        beta[node] = best + np.log(total)
        for edge in range(first, last):
            conditional[edge] /= total
    return beta


@kernel
def outside(edge_start, tail_start, tails, weight, log_weights, beta, root):
    """Return log α (eq. 14).  A node that is twice among the tails of an edge gets both terms."""
    alpha = np.full(len(beta), -np.inf)
    alpha[root] = 0.0
    for node in range(root, -1, -1):
        if alpha[node] == -np.inf:
            continue
        for edge in range(edge_start[node], edge_start[node + 1]):
            above = alpha[node] + (log_weights[weight[edge]] if weight[edge] >= 0 else 0.0)
            for t in range(tail_start[edge], tail_start[edge + 1]):
                term = above
                for other in range(tail_start[edge], tail_start[edge + 1]):
                    if other != t:
                        term += beta[tails[other]]
                if term > -np.inf:
                    old = alpha[tails[t]]
                    high, low = max(old, term), min(old, term)
                    alpha[tails[t]] = high + np.log1p(np.exp(low - high))
    return alpha


@kernel
def posteriors(edge_start, tail_start, tails, conditional, root, edge_posterior):
    """Return p(i) (eq. 15) of every node, and write that of every edge into `edge_posterior`.

    Top-down: p(e) = q_e p(H(e)) and p(i) = Σ_{e: i ∈ T(e)} p(e).
    """
    node_posterior = np.zeros(len(edge_start) - 1)
    node_posterior[root] = 1.0
    for node in range(len(node_posterior) - 1, -1, -1):
        mass = node_posterior[node]
        for edge in range(edge_start[node], edge_start[node + 1]):
            share = conditional[edge] * mass
            edge_posterior[edge] = share
            for t in range(tail_start[edge], tail_start[edge + 1]):
                node_posterior[tails[t]] += share
    return node_posterior


@kernel
def backward(edge_start, tail_start, tails, conditional, node_posterior, root, edge_adjoint, node_adjoint):
    """Return the adjoint of every edge's log-weight, given the adjoints of p(e) and p(i) (eqs 16–19).

    In relative terms, `rise` is ðα_i β_root / β_i (eq. 16, bottom-up) and `fall` is ðβ_i β_i (eqs 17–18, top-down):

        rise_i = ðp(i) + Σ_{e ∈ I(i)} q_e (ðp(e) + Σ_{j ∈ T(e)} rise_j)
        fall_j = Σ_{e: j ∈ T(e)} [q_e fall_H(e) + p(e) (ðp(H(e)) + ðp(e) + Σ_{k ∈ T(e), k ≠ j} rise_k)]

    and the adjoint of edge e (eq. 19) is q_e fall_H(e) + p(e) (ðp(H(e)) + ðp(e) + Σ_k rise_k).
    """
    num_nodes = len(edge_start) - 1
    rise = np.empty(num_nodes)
    for node in range(num_nodes):
        total = node_adjoint[node]
        for edge in range(edge_start[node], edge_start[node + 1]):
            if conditional[edge] > 0.0:
                inner = edge_adjoint[edge]
                for t in range(tail_start[edge], tail_start[edge + 1]):
                    inner += rise[tails[t]]
                total += conditional[edge] * inner
        rise[node] = total
    fall = np.zeros(num_nodes)
    fall[root] = -rise[root]  # the log-partition is subtracted from every log-probability (eq. 17)
    result = np.zeros(len(conditional))
    for node in range(root, -1, -1):
        mass = node_posterior[node]
        if mass == 0.0:
            continue
        for edge in range(edge_start[node], edge_start[node + 1]):
            if conditional[edge] > 0.0:
                inner = edge_adjoint[edge] + node_adjoint[node]
                for t in range(tail_start[edge], tail_start[edge + 1]):
                    inner += rise[tails[t]]
                share = conditional[edge] * mass
                flow = conditional[edge] * fall[node] + share * inner
                result[edge] = flow
                for t in range(tail_start[edge], tail_start[edge + 1]):
                    fall[tails[t]] += flow - share * rise[tails[t]]
    return result


@kernel
def draw(edge_start, tail_start, tails, conditional, root, rng):
    """Return the edges, in preorder, of a derivation drawn at random: at each node an edge with probability q_e."""
    edges = [np.int64(0)]
    edges.pop()
    stack = [np.int64(root)]
    while len(stack) > 0:
        node = stack.pop()
        point = rng.random()
        chosen = np.int64(-1)
        for edge in range(edge_start[node], edge_start[node + 1]):
            if conditional[edge] > 0.0:
                chosen = edge  # if rounding leaves the sum below `point`, the last possible edge is taken
                point -= conditional[edge]
                if point < 0.0:
                    break
        edges.append(chosen)
        for t in range(tail_start[chosen + 1] - 1, tail_start[chosen] - 1, -1):
            stack.append(np.int64(tails[t]))
    return np.array(edges)

"""Inside-outside over the edges of any hypergraph in the real domain: the equations of the paper as they stand.

Right where no product leaves the range of floating point.  The log engine has no such limit; this one is what it is
read beside and checked against.  Arrays as in `engine_log`; `weights` are real and not negative.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["backward", "inside", "outside"]


@kernel
def inside(edge_start, tail_start, tails, weight, weights):
    """Return β (eq. 13)."""
    beta = np.zeros(len(edge_start) - 1)
    for node in range(len(beta)):
        for edge in range(edge_start[node], edge_start[node + 1]):
            product = weights[weight[edge]] if weight[edge] >= 0 else 1.0
            for t in range(tail_start[edge], tail_start[edge + 1]):
                product *= beta[tails[t]]
            beta[node] += product
    return beta


@kernel
def outside(edge_start, tail_start, tails, weight, weights, beta, root):
    """Return α (eq. 14)."""
    alpha = np.zeros(len(beta))
    alpha[root] = 1.0
    for node in range(root, -1, -1):
        for edge in range(edge_start[node], edge_start[node + 1]):
            above = alpha[node] * (weights[weight[edge]] if weight[edge] >= 0 else 1.0)
            for t in range(tail_start[edge], tail_start[edge + 1]):
                product = above
                for other in range(tail_start[edge], tail_start[edge + 1]):
                    if other != t:
                        product *= beta[tails[other]]
                alpha[tails[t]] += product
    return alpha


@kernel
def backward(edge_start, tail_start, tails, weight, weights, beta, alpha, root, node_adjoint):
    """Return ðw of every weight, given ðp(i) of every node (eqs 16–19, partial derivatives of the first version)."""
    num_nodes = len(beta)
    total = beta[root]
    alpha_adjoint = np.zeros(num_nodes)
    for node in range(num_nodes):
        alpha_adjoint[node] = node_adjoint[node] * beta[node] / total  # eq. 16
        for edge in range(edge_start[node], edge_start[node + 1]):
            scale = weights[weight[edge]] if weight[edge] >= 0 else 1.0
            for t in range(tail_start[edge], tail_start[edge + 1]):
                product = scale
                for other in range(tail_start[edge], tail_start[edge + 1]):
                    if other != t:
                        product *= beta[tails[other]]
                alpha_adjoint[node] += alpha_adjoint[tails[t]] * product
    beta_adjoint = np.zeros(num_nodes)
    weight_adjoint = np.zeros(len(weights))
    for node in range(num_nodes):
        beta_adjoint[node] += node_adjoint[node] * alpha[node] / total  # eq. 18, first term
        beta_adjoint[root] -= node_adjoint[node] * alpha[node] * beta[node] / (total * total)  # eq. 17
    for node in range(root, -1, -1):
        for edge in range(edge_start[node], edge_start[node + 1]):
            scale = weights[weight[edge]] if weight[edge] >= 0 else 1.0
            of_weight = beta_adjoint[node]
            for t in range(tail_start[edge], tail_start[edge + 1]):
                of_weight *= beta[tails[t]]
            for t in range(tail_start[edge], tail_start[edge + 1]):
                without_one = 1.0
                of_tail = beta_adjoint[node] * scale  # eq. 18, second term
                for other in range(tail_start[edge], tail_start[edge + 1]):
                    if other != t:
                        without_one *= beta[tails[other]]
                        of_tail *= beta[tails[other]]
                of_weight += alpha_adjoint[tails[t]] * alpha[node] * without_one
                for k in range(tail_start[edge], tail_start[edge + 1]):  # eq. 18, third term
                    if k != t:
                        without_two = alpha_adjoint[tails[k]] * scale * alpha[node]
                        for other in range(tail_start[edge], tail_start[edge + 1]):
                            if other != t and other != k:
                                without_two *= beta[tails[other]]
                        of_tail += without_two
                beta_adjoint[tails[t]] += of_tail
            if weight[edge] >= 0:
                weight_adjoint[weight[edge]] += of_weight  # eq. 19
    return weight_adjoint

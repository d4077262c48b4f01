"""First-order projective marginals in plain NumPy, over whole diagonals of the chart: what a careful user would write.

And the NumPy-per-edge loop: the inside-outside of any hypergraph with a NumPy call an edge.
"""

import numpy as np

from hypergraph.graph import UNWEIGHTED, Hypergraph

__all__ = ["diagonal_marginals", "per_edge_marginals"]


def diagonal_marginals(scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Return log Z and arc marginals for any number of roots, in the log domain, by reverse differentiation."""
    size = len(scores)
    chart = {name: np.full((size, size), -np.inf) for name in ("right", "left", "span", "from_left", "from_right")}
    for name in ("right", "left"):
        np.fill_diagonal(chart[name], 0.0)
    steps = []

    def combine(target: str, one: str, other: str, i: np.ndarray, j: np.ndarray, a: tuple, b: tuple) -> None:
        terms = chart[one][a] + chart[other][b]
        best = terms.max(axis=0)
        safe = np.where(best > -np.inf, best, 0.0)
        chart[target][i, j] = safe + np.log(np.exp(terms - safe).sum(axis=0))
        steps.append((target, one, other, i, j, a, b, terms))

    with np.errstate(divide="ignore"):
        for width in range(1, size):
            i = np.arange(size - width)
            j = i + width
            k = i + np.arange(width)[:, None]
            combine("span", "right", "left", i, j, (i[None], k), (k + 1, j[None]))
            chart["from_left"][i, j] = chart["span"][i, j] + scores[i, j]
            chart["from_right"][i, j] = chart["span"][i, j] + scores[j, i]
            chart["from_right"][0] = -np.inf
            combine("right", "from_left", "right", i, j, (i[None], k + 1), (k + 1, j[None]))
            combine("left", "left", "from_right", i, j, (i[None], k), (k, j[None]))
    adjoint = {name: np.zeros((size, size)) for name in chart}
    adjoint["right"][0, -1] = 1.0
    for target, one, other, i, j, a, b, terms in reversed(steps):
        if target == "span":
            adjoint["span"][i, j] += adjoint["from_left"][i, j] + adjoint["from_right"][i, j]
        items = chart[target][i, j]
        share = np.exp(terms - np.where(items > -np.inf, items, 0.0)) * adjoint[target][i, j]
        np.add.at(adjoint[one], np.broadcast_arrays(*a), share)
        np.add.at(adjoint[other], np.broadcast_arrays(*b), share)
    marginals = adjoint["from_left"] + adjoint["from_right"].T
    return float(chart["right"][0, -1]), marginals


def per_edge_marginals(graph: Hypergraph, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Return log Z and weight marginals with Python steps over edges."""
    weights = weights.reshape(-1)
    inside = np.full(graph.num_nodes, -np.inf)
    for edge in range(graph.num_edges):
        weight = graph.weight[edge]
        score = inside[graph.tails_of(edge)].sum() + (weights[weight] if weight != UNWEIGHTED else 0.0)
        inside[graph.head[edge]] = np.logaddexp(inside[graph.head[edge]], score)
    posterior = np.zeros(graph.num_nodes)
    posterior[graph.root] = 1.0
    marginals = np.zeros(len(weights))
    for edge in range(graph.num_edges - 1, -1, -1):
        head, weight = graph.head[edge], graph.weight[edge]
        score = inside[graph.tails_of(edge)].sum() + (weights[weight] if weight != UNWEIGHTED else 0.0)
        share = posterior[head] * np.exp(score - inside[head]) if score > -np.inf else 0.0
        for tail in graph.tails_of(edge):
            posterior[tail] += share
        if weight != UNWEIGHTED:
            marginals[weight] += share
    return float(inside[graph.root]), marginals

"""Exact samples of non-projective trees: one word after another, given the heads of those before it.

Each step takes the marginals of all trees that are still possible, so the time does not depend on the scores; a random
walk (Wilson 1996) could go round for as long as two words prefer each other.
"""

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from hypergraph.nonprojective.matrix_tree import TreeSums
from hypergraph.roots import Roots

__all__ = ["draw_trees"]


_AT_ONCE = 256
"""Samples that are drawn together, which share their sums as long as they have the same heads; more take more room."""


def draw_trees(scores: Floats, size: int, rng: np.random.Generator, *, roots: Roots) -> NDArray[np.int64]:
    """Return the heads (size, n + 1), -1 for the root, of independent samples; O(n⁴) for each.

    Parameters
    ----------
    scores : (n + 1, n + 1), log-weights of arcs h → m at [h, m], with which there is a tree

    Examples
    --------
    >>> scores = np.array([[0.0, 50, 0], [0, 0, 50], [0, 50, 0]])
    >>> draw_trees(scores, 2, np.random.default_rng(0), roots="any")
    array([[-1,  0,  1],
           [-1,  0,  1]])
    """
    heads = np.full((size, len(scores)), -1)
    for start in range(0, size, _AT_ONCE):
        some = heads[start : start + _AT_ONCE]
        _draw(scores, rng.random((len(some), len(scores) - 1)), roots, some)
    return heads


def _draw(scores: Floats, uniform: Floats, roots: Roots, heads: NDArray[np.int64]) -> None:
    """Write heads, given a number from 0 to 1 for each word of each sample."""
    allowed = scores[None]  # (kinds, n + 1, n + 1): a kind of samples has the same heads so far
    kind = np.zeros(len(heads), dtype=np.int64)
    for word in range(1, len(scores)):
        log_odds = TreeSums(allowed, roots).log_escape[:, :, word] + allowed[:, :, word]
        mass = np.exp(log_odds - log_odds.max(axis=1, keepdims=True)).cumsum(axis=1)
        total = mass[kind, -1]
        threshold = np.minimum(uniform[:, word - 1] * total, np.nextafter(total, 0.0))
        heads[:, word] = (mass[kind] <= threshold[:, None]).sum(axis=1)
        codes, kind = np.unique(kind * len(scores) + heads[:, word], return_inverse=True)
        before, chosen = np.divmod(codes, len(scores))
        allowed = allowed[before]
        column = np.full(allowed.shape[:2], -np.inf)
        each = np.arange(len(codes))
        column[each, chosen] = allowed[each, chosen, word]
        allowed[:, :, word] = column

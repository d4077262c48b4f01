"""The best non-projective dependency tree."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgm import kernels
from pgm.errors import ContradictionError
from pgm.matrix_tree import Roots, check_roots, check_scores

__all__ = ["maximum_arborescence"]


def maximum_arborescence(scores: ArrayLike, *, roots: Roots = "any") -> NDArray[np.int64]:
    """Return (n + 1,): each word's head in the tree with the greatest Σ scores[h, m], and -1 for the root.  O(n²).

    Among equally good trees the choice is arbitrary, but always the same.

    Parameters
    ----------
    scores : (n + 1, n + 1), arcs h → m; -inf is no arc; the diagonal and the first column are not read
    roots : whether the root 0 has any number of children, or exactly one (the best such tree, not the best of some)

    Raises
    ------
    ContradictionError
        If the arcs make no tree.

    Examples
    --------
    >>> scores = np.array([[0, 5, 4, 0], [0, 0, 3, 0], [0, 9, 0, 1], [0, 0, 8, 0]])
    >>> maximum_arborescence(scores)
    array([-1,  2,  3,  0])
    >>> maximum_arborescence(np.array([[0, 9, 9], [0, 0, 1], [0, 2, 0]]), roots="one")
    array([-1,  2,  0])
    """
    array = check_scores(scores)
    heads = np.empty(len(array), dtype=np.int64)
    if not kernels.arborescence.maximum_arborescence(array, check_roots(roots), heads):
        reached = "hangs every word on one child of the root" if roots == "one" else "reaches every word from the root"
        raise ContradictionError(f"there is no tree: no choice of possible arcs (above -inf) {reached}")
    return heads

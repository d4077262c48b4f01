"""The exact number of dependency trees (the matrix-tree theorem in whole numbers)."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["count_trees"]


def count_trees(arcs: NDArray[np.bool_], *, one_root: bool) -> int:
    """Return the number of trees, given which arcs h → m are possible, (n + 1, n + 1) at [h, m].

    The determinant of the Laplacian of the words (Tutte 1948); for one root its first row is that of the root's arcs,
    which then are in no other (Koo et al. 2007, eq. 7).  The diagonal and the first column are not read.

    Examples
    --------
    >>> count_trees(np.ones((4, 4), dtype=bool), one_root=False)  # (n + 1)^(n - 1)
    16
    >>> count_trees(np.ones((4, 4), dtype=bool), one_root=True)  # n^(n - 1)
    9
    """
    n = len(arcs) - 1
    between = arcs[1:, 1:].astype(np.int64)
    np.fill_diagonal(between, 0)
    from_root = arcs[0, 1:].astype(np.int64)
    laplacian = np.diag(between.sum(axis=0) + (0 if one_root else from_root)) - between
    if one_root:
        laplacian[0] = from_root
    return _determinant([[int(value) for value in laplacian[row]] for row in range(n)])


def _determinant(matrix: list[list[int]]) -> int:
    """Return the determinant of whole numbers by elimination without fractions (Bareiss 1968)."""
    sign, before = 1, 1
    for k in range(len(matrix) - 1):
        pivot = next((row for row in range(k, len(matrix)) if matrix[row][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            matrix[k], matrix[pivot], sign = matrix[pivot], matrix[k], -sign
        top = matrix[k]
        for row in matrix[k + 1 :]:
            for j in range(k + 1, len(row)):
                row[j] = (row[j] * top[k] - row[k] * top[j]) // before
        before = top[k]
    return sign * matrix[-1][-1]

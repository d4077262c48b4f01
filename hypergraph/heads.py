"""A dependency tree as the head of each word: whether it is one, and whether its arcs cross."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["has_crossing", "is_tree"]


def is_tree(heads: NDArray[np.int64], *, one_root: bool) -> bool:
    """Return whether all words hang on the root 0, given heads (n + 1,) of which the first, the root's, is not read.

    Examples
    --------
    >>> is_tree(np.array([-1, 2, 0]), one_root=True), is_tree(np.array([-1, 2, 1]), one_root=False)
    (True, False)
    """
    above = heads.copy()
    above[0] = 0
    if (above < 0).any() or (above >= len(heads)).any() or (one_root and np.count_nonzero(above[1:] == 0) != 1):
        return False
    for _ in range(len(heads).bit_length()):  # after k rounds: the ancestor 2^k steps above
        above = above[above]
    return not above.any()


def has_crossing(heads: NDArray[np.int64]) -> bool:
    """Return whether two arcs cross: one end of one strictly inside the other, and one strictly outside.

    A tree is projective if none cross, those from the root 0 included.

    Examples
    --------
    >>> has_crossing(np.array([-1, 3, 0, 2]))
    True
    """
    words = np.arange(1, len(heads))
    left, right = np.minimum(heads[1:], words), np.maximum(heads[1:], words)
    overlap = (left[:, None] < left) & (left < right[:, None]) & (right[:, None] < right)
    return bool(overlap.any())

"""Features of parts that stand in blocks, as the rows that a `FeatureScorer` takes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_integers
from pgm.learning.errors import TrainingError

__all__ = ["feature_rows"]


def feature_rows(*blocks: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the features (indices, offsets) of parts that come block by block, in C order.

    Parameters
    ----------
    blocks : (…, K) each: the features of as many parts as there are entries on the axes before the last, K for each

    Examples
    --------
    Two words with two states each, two features for each; then the four pairs of states:

    >>> feature_rows([[[0, 8], [1, 9]], [[2, 8], [3, 9]]], [[4], [5], [6], [7]])
    (array([0, 8, 1, 9, 2, 8, 3, 9, 4, 5, 6, 7]), array([ 0,  2,  4,  6,  8,  9, 10, 11, 12]))
    """
    arrays = [as_integers(block, f"feature_rows: block {k}", TrainingError) for k, block in enumerate(blocks)]
    for number, array in enumerate(arrays):
        if array.ndim == 0:
            raise TrainingError(f"feature_rows: block {number} is one number; its last axis is that of the features")
    lengths = [np.full(int(np.prod(array.shape[:-1])), array.shape[-1]) for array in arrays]
    offsets = np.concatenate([[0], *lengths]).cumsum()
    return np.concatenate([np.zeros(0, dtype=np.int64), *(array.ravel() for array in arrays)]), offsets

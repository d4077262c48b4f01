"""What must be taken off log-weights before they are exponentiated."""

import numpy as np

from autodiff.arrays import Array
from autodiff.errors import DomainError
from autodiff.modules._axes import Axes, check_axes

__all__ = ["log_scale"]


def log_scale(values: Array, axis: Axes, owner: str) -> Array:
    """Return the maximum over `axis` with the axes kept, 0 where that is -inf; refuse NaN and +inf.

    Examples
    --------
    >>> log_scale(np.array([[1.0, 3.0], [-np.inf, -np.inf]]), 1, "LogSumExp")
    array([[3.],
           [0.]])
    """
    check_axes(owner, axis, values)
    largest = np.max(values, axis=axis, keepdims=True, initial=-np.inf)
    # A maximum is NaN if any value is.
    if not np.all(largest < np.inf):
        position = tuple(int(i) for i in np.argwhere(~(values < np.inf))[0])
        raise DomainError(f"{owner}: log-weight {values[position]} at position {position}; it must be finite or -inf")
    return np.where(np.isneginf(largest), 0.0, largest)

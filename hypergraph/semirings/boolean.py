"""Is there any derivation at all: (or, and)."""

import numpy as np

from hypergraph.arrays import as_kernel_floats
from hypergraph.semirings.base import Array, Semiring

__all__ = ["Boolean"]


class Boolean(Semiring):
    """Whether something has a derivation of weight above zero.

    Examples
    --------
    >>> bool(Boolean().plus(True, False)), bool(Boolean().times(True, False))
    (True, False)
    """

    dtype = np.bool_
    zero, one = False, True

    def plus(self, left: Array, right: Array) -> Array:
        """Return left or right."""
        return np.logical_or(left, right)

    def times(self, left: Array, right: Array) -> Array:
        """Return left and right."""
        return np.logical_and(left, right)

    def lift(self, log_weights: Array) -> Array:
        """Return whether the log-weight is above -inf."""
        return as_kernel_floats(log_weights, "weights") > -np.inf

    def examples(self, rng: np.random.Generator, count: int) -> Array:
        """Return truth values."""
        return rng.random(count) < 0.5

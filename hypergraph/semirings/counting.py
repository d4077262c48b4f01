"""How many derivations there are: (+, ×) on the natural numbers, exact for any size."""

from typing import Any

import numpy as np

from hypergraph.arrays import as_kernel_floats
from hypergraph.semirings.base import Array, Semiring

__all__ = ["Counting"]


class Counting(Semiring):
    """The number of derivations whose weights are all above zero, in Python's integers, which do not overflow.

    Examples
    --------
    >>> Counting().times(2**60, 2**60)
    1329227995784915872903807060280344576
    """

    dtype = object
    zero, one = 0, 1

    def plus(self, left: Array, right: Array) -> Array:
        """Return left + right."""
        return left + right

    def times(self, left: Array, right: Array) -> Array:
        """Return left × right."""
        return left * right

    def lift(self, log_weights: Array) -> Array:
        """Return 1 for a possible weight, 0 for an impossible one."""
        return (as_kernel_floats(log_weights, "weights") > -np.inf).astype(int).astype(object)

    def examples(self, rng: np.random.Generator, count: int) -> Array:
        """Return natural numbers, some beyond 64 bits."""
        return rng.integers(10, size=count).astype(object) ** 40

    def close(self, left: Any, right: Any) -> bool:
        """Compare exactly."""
        return bool(np.all(left == right))

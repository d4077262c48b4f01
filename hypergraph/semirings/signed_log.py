"""Real numbers of either sign over the range of logarithms: pairs (sign, log |x|).

For sums that may be negative and too large or small for a float: gradients, expectations of features of either sign.
"""

from typing import Any

import numpy as np

from hypergraph.arrays import as_kernel_floats
from hypergraph.semirings.base import Array, Semiring

__all__ = ["SignedLog"]


class SignedLog(Semiring):
    """A value is an array (2,): the sign (-1, 0 or 1) and log |x|; zero is (0, -inf).

    Examples
    --------
    2 + (-5) = -3:

    >>> semiring = SignedLog()
    >>> sign, log = semiring.plus(semiring.from_real(2.0), semiring.from_real(-5.0))
    >>> float(sign), round(float(np.exp(log)), 12)
    (-1.0, 3.0)
    """

    shape = (2,)
    zero = np.array([0.0, -np.inf])
    one = np.array([1.0, 0.0])

    def plus(self, left: Array, right: Array) -> Array:
        """Return the sum, with the smaller taken relative to the greater."""
        left, right = np.broadcast_arrays(left, right)
        high = np.where((left[..., 1] >= right[..., 1])[..., None], left, right)
        low = np.where((left[..., 1] >= right[..., 1])[..., None], right, left)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(low[..., 1] == -np.inf, 0.0, np.exp(low[..., 1] - high[..., 1]))
            log = high[..., 1] + np.log1p(high[..., 0] * low[..., 0] * ratio)
        sign = np.where(log == -np.inf, 0.0, high[..., 0])
        return np.stack([sign, log], axis=-1)

    def times(self, left: Array, right: Array) -> Array:
        """Return the product: signs multiply, logarithms add."""
        left, right = np.broadcast_arrays(left, right)
        return np.stack([left[..., 0] * right[..., 0], left[..., 1] + right[..., 1]], axis=-1)

    def lift(self, log_weights: Array) -> Array:
        """Return the positive number with this logarithm (zero for -inf)."""
        log_weights = as_kernel_floats(log_weights, "weights")
        return np.stack([(log_weights > -np.inf).astype(np.float64), log_weights], axis=-1)

    def from_real(self, values: Array) -> Array:
        """Return the pairs for real numbers of either sign."""
        with np.errstate(divide="ignore"):
            return np.stack([np.sign(values), np.log(np.abs(values))], axis=-1)

    def examples(self, rng: np.random.Generator, count: int) -> Array:
        """Return numbers of either sign."""
        return self.from_real(rng.normal(size=count))

    def close(self, left: Any, right: Any) -> bool:
        """Compare as real numbers, so that cancellation to almost zero is equal to zero."""
        left, right = np.asarray(left), np.asarray(right)
        return super().close(left[..., 0] * np.exp(left[..., 1]), right[..., 0] * np.exp(right[..., 1]))

"""The k best log-weights: lists in descending order, (merge, all sums)."""

import numpy as np

from autodiff.conversion import as_count
from hypergraph.arrays import as_kernel_floats
from hypergraph.errors import WeightError
from hypergraph.semirings.base import Array, Semiring

__all__ = ["KBest"]


class KBest(Semiring):
    """The log-weights of the k best derivations, -inf where there are fewer.

    It costs k² a product; `hypergraph.kbest` is lazy and also returns the derivations.

    Examples
    --------
    >>> KBest(2).plus(np.array([0.0, -2.0]), np.array([-1.0, -3.0]))
    array([ 0., -1.])
    >>> KBest(2).times(np.array([0.0, -2.0]), np.array([-1.0, -3.0]))
    array([-1., -3.])
    """

    def __init__(self, k: int) -> None:
        self.k = k = as_count(k, "KBest: k", WeightError, least=1)
        self.shape = (k,)
        self.zero = np.full(k, -np.inf)
        self.one = np.array([0.0] + [-np.inf] * (k - 1))

    def plus(self, left: Array, right: Array) -> Array:
        """Return the k best of both lists."""
        left, right = np.broadcast_arrays(left, right)
        return self._top(np.concatenate([left, right], axis=-1))

    def times(self, left: Array, right: Array) -> Array:
        """Return the k best sums of one from each list."""
        sums = np.asarray(left)[..., :, None] + np.asarray(right)[..., None, :]
        return self._top(sums.reshape(*sums.shape[:-2], self.k * self.k))

    def lift(self, log_weights: Array) -> Array:
        """Return the list with this one log-weight."""
        return np.where(self.one == 0.0, as_kernel_floats(log_weights, "weights")[..., None], -np.inf)

    def examples(self, rng: np.random.Generator, count: int) -> Array:
        """Return descending lists."""
        return self._top(rng.normal(size=(count, self.k)))

    def _top(self, values: Array) -> Array:
        return -np.sort(-values, axis=-1)[..., : self.k]

    def __repr__(self) -> str:
        return f"KBest({self.k})"

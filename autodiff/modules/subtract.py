"""Subtraction."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, check_broadcast, unbroadcast
from autodiff.module import Backward, Module
from autodiff.modules._draws import log_weights

__all__ = ["Subtract"]


class Subtract(Module):
    """`x - y` with broadcasting; `x` may be -inf where `y` is finite.

    Examples
    --------
    >>> output, backward = Subtract().forward([3.0, -np.inf], 1.0)
    >>> output
    array([  2., -inf])
    >>> backward(np.array([1.0, 0.0]))
    (array([1., 0.]), array(-1.))
    """

    def forward(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Backward]:
        """Return `x - y`."""
        left, right = as_floats(x), as_floats(y)
        check_broadcast("Subtract", left, right)

        def backward(adjoint: Array) -> tuple[Array, Array]:
            """Pass the adjoint on to `x`, and its negative to `y`."""
            return unbroadcast(adjoint, left.shape), unbroadcast(-as_floats(adjoint), right.shape)

        return left - right, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield shapes that broadcast, and -inf minus something finite."""
        yield cls(), (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
        yield cls(), (rng.normal(size=(3, 1)), rng.normal(size=(2, 1, 4)))
        yield cls(), (rng.normal(size=2), 0.5)
        yield cls(), (log_weights(rng, 3, 4), rng.normal(size=4))

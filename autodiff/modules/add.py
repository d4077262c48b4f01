"""Addition."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, check_broadcast, unbroadcast
from autodiff.module import Backward, Module
from autodiff.modules._draws import log_weights

__all__ = ["Add"]


class Add(Module):
    """`x + y` with broadcasting.

    Examples
    --------
    >>> output, backward = Add().forward([[1.0], [2.0]], [10.0, 20.0])
    >>> output
    array([[11., 21.],
           [12., 22.]])
    >>> backward(np.ones((2, 2)))
    (array([[2.],
           [2.]]), array([2., 2.]))
    """

    def forward(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Backward]:
        """Return `x + y`."""
        left, right = as_floats(x), as_floats(y)
        check_broadcast("Add", left, right)

        def backward(adjoint: Array) -> tuple[Array, Array]:
            """Pass the adjoint on to both, summed over the axes that were broadcast."""
            return unbroadcast(adjoint, left.shape), unbroadcast(adjoint, right.shape)

        return left + right, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield shapes that broadcast, and -inf."""
        yield cls(), (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
        yield cls(), (rng.normal(size=(4, 1, 3)), rng.normal(size=(2, 1)))
        yield cls(), (1.5, rng.normal(size=2))
        yield cls(), (log_weights(rng, 3, 4), log_weights(rng, 4))

"""Elementwise multiplication."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, check_broadcast, safe_product, unbroadcast
from autodiff.module import Backward, Module
from autodiff.modules._draws import log_weights

__all__ = ["Multiply"]


class Multiply(Module):
    """`x * y` with broadcasting; one may be -inf where the other is positive (log-weights at a temperature).

    Examples
    --------
    >>> output, backward = Multiply().forward([1.0, -np.inf], 2.0)
    >>> output
    array([  2., -inf])
    >>> backward(np.array([1.0, 0.0]))
    (array([2., 0.]), array(1.))
    """

    def forward(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Backward]:
        """Return `x * y`."""
        left, right = as_floats(x), as_floats(y)
        check_broadcast("Multiply", left, right)

        def backward(adjoint: Array) -> tuple[Array, Array]:
            """Return `adjoint * y` and `adjoint * x`."""
            return (
                unbroadcast(safe_product(adjoint, right), left.shape),
                unbroadcast(safe_product(adjoint, left), right.shape),
            )

        return left * right, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield shapes that broadcast, a scalar, and -inf times something positive."""
        yield cls(), (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
        yield cls(), (rng.normal(size=(4, 1, 3)), rng.normal(size=(2, 1)))
        yield cls(), (1.5, rng.normal(size=2))
        yield cls(), (log_weights(rng, 3, 4), rng.uniform(0.5, 2.0, size=(3, 1)))

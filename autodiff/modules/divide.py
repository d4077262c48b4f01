"""Elementwise division."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, check_broadcast, safe_product, unbroadcast
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._draws import away_from_zero, log_weights

__all__ = ["Divide"]


class Divide(Module):
    """`x / y` with broadcasting; `y` must not be 0, and `x` may be -inf where `y` is positive.

    Examples
    --------
    >>> output, backward = Divide().forward([6.0, 9.0], 3.0)
    >>> output
    array([2., 3.])
    >>> backward(np.array([3.0, 0.0]))
    (array([1., 0.]), array(-2.))
    """

    def forward(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Backward]:
        """Return `x / y`."""
        numerator, denominator = as_floats(x), as_floats(y)
        check_broadcast("Divide", numerator, denominator)
        if not denominator.all():
            position = tuple(int(i) for i in np.argwhere(denominator == 0)[0])
            raise DomainError(f"Divide: the denominator is 0 at position {position}; mask it or add a small constant")
        quotient = numerator / denominator

        def backward(adjoint: Array) -> tuple[Array, Array]:
            """Return `adjoint / y` and `-adjoint * (x / y) / y`."""
            return (
                unbroadcast(adjoint / denominator, numerator.shape),
                unbroadcast(-safe_product(adjoint, quotient) / denominator, denominator.shape),
            )

        return quotient, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield shapes that broadcast, a scalar, and -inf over something positive."""
        yield cls(), (rng.normal(size=(2, 3)), away_from_zero(rng, 2, 3))
        yield cls(), (rng.normal(size=(4, 1, 3)), away_from_zero(rng, 2, 1))
        yield cls(), (1.5, away_from_zero(rng, 2))
        yield cls(), (log_weights(rng, 3, 4), rng.uniform(0.5, 2.0, size=(3, 1)))

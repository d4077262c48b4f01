"""The rectified linear function."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._draws import away_from_zero

__all__ = ["Relu"]


class Relu(Module):
    """`max(x, 0)`; at 0, where it has no derivative, the adjoint is 0.

    Examples
    --------
    >>> output, backward = Relu().forward([2.0, -1.0, 0.0])
    >>> output
    array([2., 0., 0.])
    >>> backward(np.ones(3))
    (array([1., 0., 0.]),)
    """

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return `max(x, 0)`."""
        values = as_floats(x)

        def backward(adjoint: Array) -> tuple[Array]:
            """Pass the adjoint on where `x > 0`."""
            return (np.where(values > 0, adjoint, 0.0),)

        return np.maximum(values, 0.0), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix away from the kink, a scalar and -inf."""
        yield cls(), (away_from_zero(rng, 2, 3),)
        yield cls(), (-0.5,)
        yield cls(), (np.where(rng.random((3, 4)) < 0.3, -np.inf, away_from_zero(rng, 3, 4)),)

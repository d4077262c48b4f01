"""Change of sign."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module

__all__ = ["Negate"]


class Negate(Module):
    """`-x`.

    Examples
    --------
    >>> output, backward = Negate().forward([1.0, -2.0])
    >>> output
    array([-1.,  2.])
    >>> backward(np.array([1.0, 3.0]))
    (array([-1., -3.]),)
    """

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return `-x`."""

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `-adjoint`."""
            return (-as_floats(adjoint),)

        return -as_floats(x), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix and a scalar."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(), (0.5,)

"""A change of shape."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module

__all__ = ["Reshape"]


class Reshape(Module):
    """The same values in another shape; one size may be -1, as in NumPy.

    Examples
    --------
    >>> output, backward = Reshape((2, -1)).forward([1.0, 2.0, 3.0, 4.0])
    >>> output
    array([[1., 2.],
           [3., 4.]])
    >>> backward(np.eye(2))
    (array([1., 0., 0., 1.]),)
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return `x` in the new shape."""
        values = as_floats(x)
        try:
            reshaped = values.reshape(self.shape)
        except (TypeError, ValueError):
            raise DomainError(
                f"Reshape: {values.size} values of shape {values.shape} do not fit {self.shape!r}"
            ) from None

        def backward(adjoint: Array) -> tuple[Array]:
            """Return the adjoint in the old shape."""
            return (as_floats(adjoint).reshape(values.shape),)

        return reshaped, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix, an inferred size, and scalars."""
        yield cls((3, 2)), (rng.normal(size=(2, 3)),)
        yield cls((-1,)), (rng.normal(size=(2, 1, 3)),)
        yield cls((1, 1)), (2.0,)
        yield cls(()), (rng.normal(size=1),)

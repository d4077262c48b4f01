"""A change of the order of axes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._axes import check_axes

__all__ = ["Transpose"]


class Transpose(Module):
    """The axes in another order: axis `i` of the output is axis `axes[i]` of the input; None reverses them.

    Examples
    --------
    >>> output, backward = Transpose().forward([[1.0, 2.0, 3.0]])
    >>> output
    array([[1.],
           [2.],
           [3.]])
    >>> backward(np.array([[1.0], [0.0], [2.0]]))
    (array([[1., 0., 2.]]),)
    """

    def __init__(self, axes: tuple[int, ...] | None = None) -> None:
        self.axes = axes

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return `x` with its axes reordered."""
        values = as_floats(x)
        if self.axes is not None:
            check_axes("Transpose", tuple(self.axes), values)
            if sorted(axis % values.ndim for axis in self.axes) != list(range(values.ndim)):
                raise DomainError(f"Transpose: axes {self.axes} do not name each axis of a {values.shape} array once")

        def backward(adjoint: Array) -> tuple[Array]:
            """Return the adjoint with the order undone."""
            array = as_floats(adjoint)
            if self.axes is None:
                return (np.transpose(array),)
            return (np.transpose(array, np.argsort([axis % array.ndim for axis in self.axes])),)

        return np.transpose(values, self.axes), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix, a cycle of axes (which is not its own inverse), and negative axes."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls((1, 2, 0)), (rng.normal(size=(2, 3, 4)),)
        yield cls((-1, 0, 1)), (rng.normal(size=(2, 3, 4)),)

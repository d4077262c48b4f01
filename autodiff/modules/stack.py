"""Arrays side by side."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._axes import check_axes
from autodiff.modules._draws import log_weights

__all__ = ["Stack"]


class Stack(Module):
    """Any number of arrays of one shape joined along a new axis.

    Examples
    --------
    >>> output, backward = Stack(axis=1).forward([1.0, 2.0], [3.0, 4.0])
    >>> output
    array([[1., 3.],
           [2., 4.]])
    >>> backward(np.array([[1.0, 0.0], [2.0, 0.0]]))
    (array([1., 2.]), array([0., 0.]))
    """

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def forward(self, *parts: ArrayLike) -> tuple[Array, Backward]:
        """Return the parts stacked."""
        arrays = [as_floats(part) for part in parts]
        shapes = [array.shape for array in arrays]
        if not arrays or any(shape != shapes[0] for shape in shapes):
            raise DomainError(f"Stack: the parts, at least one, must have one shape, not {shapes}")
        check_axes("Stack", self.axis, arrays[0][np.newaxis])

        def backward(adjoint: Array) -> tuple[Array, ...]:
            """Take the adjoint apart again."""
            return tuple(np.moveaxis(as_floats(adjoint), self.axis, 0))

        return np.stack(arrays, axis=self.axis), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield several parts, an inner axis, scalars, and -inf."""
        yield cls(), (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
        yield cls(axis=-1), (rng.normal(size=3), log_weights(rng, 3))
        yield cls(), (1.0, 2.0)

"""Arrays end to end."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._axes import check_axes
from autodiff.modules._draws import log_weights

__all__ = ["Concatenate"]


class Concatenate(Module):
    """Any number of arrays joined along an axis that they all have; `Split` undoes it.

    Examples
    --------
    >>> output, backward = Concatenate().forward([1.0, 2.0], [3.0])
    >>> output
    array([1., 2., 3.])
    >>> backward(np.array([4.0, 5.0, 6.0]))
    (array([4., 5.]), array([6.]))
    """

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def forward(self, *parts: ArrayLike) -> tuple[Array, Backward]:
        """Return the parts joined."""
        arrays = [as_floats(part) for part in parts]
        if not arrays:
            raise DomainError("Concatenate: there is nothing to join")
        for array in arrays:
            check_axes("Concatenate", self.axis, array)
        others = [tuple(np.delete(array.shape, self.axis)) for array in arrays]
        if any(array.ndim != arrays[0].ndim for array in arrays) or any(other != others[0] for other in others):
            shapes = [array.shape for array in arrays]
            raise DomainError(f"Concatenate: parts of shapes {shapes} must be equal but for axis {self.axis}")
        cuts = np.cumsum([array.shape[self.axis] for array in arrays])[:-1]

        def backward(adjoint: Array) -> tuple[Array, ...]:
            """Cut the adjoint where the parts were joined."""
            return tuple(np.split(as_floats(adjoint), cuts, axis=self.axis))

        return np.concatenate(arrays, axis=self.axis), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield several parts, an inner axis, one part, and -inf."""
        yield cls(), (rng.normal(size=(2, 3)), rng.normal(size=(1, 3)), rng.normal(size=(3, 3)))
        yield cls(axis=-1), (rng.normal(size=(2, 3)), log_weights(rng, 2, 2))
        yield cls(), (rng.normal(size=3),)

"""A part of an array."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._draws import log_weights

__all__ = ["Select"]


class Select(Module):
    """`x[index]` for a fixed index: integers, slices, None and `...`, or a boolean mask.

    Rows chosen by integer arrays, which may repeat, are for `Gather`.

    Examples
    --------
    >>> output, backward = Select((slice(None), 0)).forward([[1.0, 2.0], [3.0, 4.0]])
    >>> output
    array([1., 3.])
    >>> backward(np.array([5.0, 6.0]))
    (array([[5., 0.],
           [6., 0.]]),)
    """

    def __init__(self, index: Any) -> None:
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, list | np.ndarray) and np.asarray(part).dtype != np.bool_ for part in parts):
            raise DomainError("Select takes integers, slices or a boolean mask; for integer arrays use Gather")
        self.index = index

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the part."""
        values = as_floats(x)
        try:
            chosen = values[self.index]
        except IndexError as reason:
            raise DomainError(f"Select: an array of shape {values.shape} has no [{self.index!r}]: {reason}") from None

        def backward(adjoint: Array) -> tuple[Array]:
            """Put the adjoint in its place among zeros."""
            placed = np.zeros(values.shape)
            placed[self.index] = adjoint
            return (placed,)

        return chosen, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield integers, slices, new axes, a mask, and -inf."""
        yield cls((1, 2)), (rng.normal(size=(2, 3)),)
        yield cls((slice(None), slice(None, None, -2))), (rng.normal(size=(2, 5)),)
        yield cls((..., None, 0)), (rng.normal(size=(2, 3)),)
        yield cls(rng.random((2, 3)) < 0.5), (rng.normal(size=(2, 3)),)
        yield cls(slice(1, None)), (log_weights(rng, 5),)

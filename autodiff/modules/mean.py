"""Means over axes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._axes import Axes, check_axes, spread

__all__ = ["Mean"]


class Mean(Module):
    """The arithmetic mean over `axis`: one axis, several, or (None) all of them.

    Examples
    --------
    >>> output, backward = Mean(axis=0).forward([[1.0, 2.0], [3.0, 4.0]])
    >>> output
    array([2., 3.])
    >>> backward(np.array([1.0, 5.0]))
    (array([[0.5, 2.5],
           [0.5, 2.5]]),)
    """

    def __init__(self, axis: Axes = None, *, keepdims: bool = False) -> None:
        self.axis = axis
        self.keepdims = keepdims

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the mean."""
        values = as_floats(x)
        check_axes("Mean", self.axis, values)
        if not values.size:
            raise DomainError(f"Mean: an array of shape {values.shape} has no values to average")
        mean = np.asarray(np.mean(values, axis=self.axis, keepdims=self.keepdims))
        count = values.size // mean.size

        def backward(adjoint: Array) -> tuple[Array]:
            """Give every term its share of the adjoint of the mean."""
            return (spread(adjoint, values.shape, self.axis, self.keepdims) / count,)

        return mean, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield every kind of axis, and a scalar."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(axis=(0, 2)), (rng.normal(size=(2, 3, 2)),)
        yield cls(axis=-1, keepdims=True), (rng.normal(size=(2, 3)),)
        yield cls(), (1.5,)

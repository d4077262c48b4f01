"""Sums over axes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._axes import Axes, check_axes, spread

__all__ = ["Sum"]


class Sum(Module):
    """The sum over `axis`: one axis, several, or (None) all of them.

    Examples
    --------
    >>> output, backward = Sum(axis=0).forward([[1.0, 2.0], [3.0, 4.0]])
    >>> output
    array([4., 6.])
    >>> backward(np.array([1.0, 5.0]))
    (array([[1., 5.],
           [1., 5.]]),)
    """

    def __init__(self, axis: Axes = None, *, keepdims: bool = False) -> None:
        self.axis = axis
        self.keepdims = keepdims

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the sum."""
        values = as_floats(x)
        check_axes("Sum", self.axis, values)

        def backward(adjoint: Array) -> tuple[Array]:
            """Give every term the adjoint of its sum."""
            return (spread(adjoint, values.shape, self.axis, self.keepdims).copy(),)

        return np.sum(values, axis=self.axis, keepdims=self.keepdims), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield every kind of axis, and a scalar."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(axis=(0, 2)), (rng.normal(size=(2, 3, 2)),)
        yield cls(axis=-1, keepdims=True), (rng.normal(size=(2, 3)),)
        yield cls(keepdims=True), (rng.normal(size=(2, 3)),)
        yield cls(), (1.5,)

"""Maxima over axes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._axes import Axes, check_axes, spread

__all__ = ["Max"]


class Max(Module):
    """The largest value over `axis`; values that tie for it share its adjoint equally.

    The maximum of nothing but -inf is -inf, and passes adjoints of exactly 0 back.

    Examples
    --------
    >>> output, backward = Max(axis=1).forward([[1.0, 2.0], [3.0, 3.0]])
    >>> output
    array([2., 3.])
    >>> backward(np.ones(2))
    (array([[0. , 1. ],
           [0.5, 0.5]]),)
    """

    def __init__(self, axis: Axes = None, *, keepdims: bool = False) -> None:
        self.axis = axis
        self.keepdims = keepdims

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the maximum."""
        values = as_floats(x)
        check_axes("Max", self.axis, values)
        if not values.size:
            raise DomainError(
                f"Max: an array of shape {values.shape} has no values to compare; leave it out, or add one of -inf"
            )

        def backward(adjoint: Array) -> tuple[Array]:
            """Share the adjoint among the winners."""
            winners = (values == np.max(values, axis=self.axis, keepdims=True)) & ~np.isneginf(values)
            count = np.maximum(np.sum(winners, axis=self.axis, keepdims=True), 1)
            return (winners * spread(adjoint, winners.shape, self.axis, self.keepdims) / count,)

        return np.max(values, axis=self.axis, keepdims=self.keepdims), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield every kind of axis, a scalar, a tie of two, -inf, and nothing but -inf."""
        yield cls(), (rng.permutation(6).reshape(2, 3) / 2.0,)
        yield cls(axis=(0, 2)), (rng.permutation(12).reshape(2, 3, 2) / 3.0,)
        yield cls(axis=-1, keepdims=True), (rng.permutation(6).reshape(2, 3) / 2.0,)
        yield cls(), (1.5,)
        yield cls(), (np.array([-np.inf, 0.5, -np.inf]),)
        yield cls(axis=1), (np.array([[-np.inf, -np.inf], [1.0, -np.inf], rng.permutation(2)]),)

"""The natural logarithm."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module

__all__ = ["Log"]


class Log(Module):
    """`log(x)` for `x ≥ 0`; 0 gives -inf, and, as an impossible part, has adjoint exactly 0.

    Examples
    --------
    >>> output, backward = Log().forward([1.0, 0.0])
    >>> output
    array([  0., -inf])
    >>> backward(np.array([2.0, 2.0]))
    (array([2., 0.]),)
    """

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return `log(x)`."""
        values = as_floats(x)
        if (values < 0).any():
            raise DomainError(f"Log: the smallest value is {values.min()}, and a logarithm needs values ≥ 0")
        with np.errstate(divide="ignore"):
            logarithm = np.log(values)

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `adjoint / x`, 0 where `x` is 0."""
            return (np.where(values > 0, adjoint / np.where(values > 0, values, 1.0), 0.0),)

        return logarithm, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix and a scalar; 0 lies on the border, where differences cannot be taken."""
        yield cls(), (rng.uniform(0.1, 3.0, size=(2, 3)),)
        yield cls(), (0.5,)

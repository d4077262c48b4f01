"""The exponential function."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._draws import log_weights

__all__ = ["Exp"]


class Exp(Module):
    """`exp(x)`; -inf gives 0, with adjoint 0.

    Examples
    --------
    >>> output, backward = Exp().forward([0.0, -np.inf])
    >>> output
    array([1., 0.])
    >>> backward(np.array([2.0, 2.0]))
    (array([2., 0.]),)
    """

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return `exp(x)`."""
        result = np.exp(as_floats(x))

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `adjoint * exp(x)`."""
            return (adjoint * result,)

        return result, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix, a scalar and -inf."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(), (0.5,)
        yield cls(), (log_weights(rng, 3, 4),)

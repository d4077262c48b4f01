"""The logistic function."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._draws import log_weights

__all__ = ["Sigmoid"]


class Sigmoid(Module):
    """`1 / (1 + exp(-x))`, without overflow for any `x`; -inf gives 0.

    Examples
    --------
    >>> output, backward = Sigmoid().forward([0.0, -1000.0, -np.inf])
    >>> output
    array([0.5, 0. , 0. ])
    >>> backward(np.ones(3))
    (array([0.25, 0.  , 0.  ]),)
    """

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the logistic function of `x`."""
        values = as_floats(x)
        small = np.exp(-np.abs(values))

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `adjoint * sigmoid(x) * sigmoid(-x)`."""
            # It keeps its digits where 1 - sigmoid(x) has lost them.
            return (adjoint * (small / (1.0 + small) ** 2),)

        return np.where(values >= 0, 1.0, small) / (1.0 + small), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix, a scalar and -inf."""
        yield cls(), (3.0 * rng.normal(size=(2, 3)),)
        yield cls(), (0.5,)
        yield cls(), (log_weights(rng, 3, 4),)

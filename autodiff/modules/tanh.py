"""The hyperbolic tangent."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._draws import log_weights

__all__ = ["Tanh"]


class Tanh(Module):
    """`tanh(x)`; -inf gives -1, with adjoint 0.

    Examples
    --------
    >>> output, backward = Tanh().forward([0.0, -np.inf])
    >>> output
    array([ 0., -1.])
    >>> backward(np.ones(2))
    (array([1., 0.]),)
    """

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return `tanh(x)`."""
        result = np.tanh(as_floats(x))

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `adjoint * (1 - tanh(x)²)`."""
            return (adjoint * (1.0 - result * result),)

        return result, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix, a scalar and -inf."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(), (0.5,)
        yield cls(), (log_weights(rng, 3, 4),)

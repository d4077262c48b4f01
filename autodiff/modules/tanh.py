"""The hyperbolic tangent."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Module
from autodiff.modules._draws import log_weights

__all__ = ["Tanh"]


class Tanh(Module):
    """`tanh(x)`; -inf gives -1, with adjoint 0.

    Examples
    --------
    >>> tanh = Tanh()
    >>> tanh.forward([0.0, -np.inf])
    array([ 0., -1.])
    >>> tanh.backward(np.ones(2))
    (array([1., 0.]),)
    """

    def forward(self, x: ArrayLike) -> Array:
        """Return `tanh(x)`."""
        result = np.tanh(as_floats(x))
        self._keep(result)
        return result

    def backward(self, adjoint: Array) -> tuple[Array]:
        """Return `adjoint * (1 - tanh(x)²)`."""
        (result,) = self._kept()
        return (adjoint * (1.0 - result * result),)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix, a scalar and -inf."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(), (0.5,)
        yield cls(), (log_weights(rng, 3, 4),)

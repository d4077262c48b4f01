"""The exponential function."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Module
from autodiff.modules._draws import log_weights

__all__ = ["Exp"]


class Exp(Module):
    """`exp(x)`; -inf gives 0, with adjoint 0.

    Examples
    --------
    >>> exp = Exp()
    >>> exp.forward([0.0, -np.inf])
    array([1., 0.])
    >>> exp.backward(np.array([2.0, 2.0]))
    (array([2., 0.]),)
    """

    def forward(self, x: ArrayLike) -> Array:
        """Return `exp(x)`."""
        result = np.exp(as_floats(x))
        self._keep(result)
        return result

    def backward(self, adjoint: Array) -> tuple[Array]:
        """Return `adjoint * exp(x)`."""
        (result,) = self._kept()
        return (adjoint * result,)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a matrix, a scalar and -inf."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(), (0.5,)
        yield cls(), (log_weights(rng, 3, 4),)

"""Log-probabilities from log-weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._axes import Axes
from autodiff.modules._draws import log_weights
from autodiff.modules._log_scale import log_scale

__all__ = ["LogSoftmax"]


class LogSoftmax(Module):
    """`x - log Σ exp(x)` over `axis`; -inf stays -inf, with adjoint exactly 0, also where all are -inf.

    Examples
    --------
    >>> output, backward = LogSoftmax().forward([0.0, -np.inf, 0.0])
    >>> output
    array([-0.69314718,        -inf, -0.69314718])
    >>> backward(np.array([1.0, 0.0, 0.0]))
    (array([ 0.5,  0. , -0.5]),)
    """

    def __init__(self, axis: Axes = -1) -> None:
        self.axis = axis

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the log-probabilities."""
        values = as_floats(x)
        centred = values - log_scale(values, self.axis, "LogSoftmax")
        total = np.sum(np.exp(centred), axis=self.axis, keepdims=True)
        result = centred - np.log(np.where(total == 0, 1.0, total))

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `adjoint - p * Σ adjoint`, where what is impossible takes no part."""
            possible = np.where(np.isneginf(result), 0.0, adjoint)
            return (possible - np.exp(result) * np.sum(possible, axis=self.axis, keepdims=True),)

        return result, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield several axes, large values, -inf, and nothing but -inf."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(axis=(0, 1)), (rng.normal(size=(2, 3)),)
        yield cls(axis=0), (1000.0 + rng.normal(size=(3, 2)),)
        yield cls(axis=1), (log_weights(rng, 4, 3),)
        yield cls(axis=0), (np.array([[-np.inf, 0.0], [-np.inf, -np.inf]]),)

"""Probabilities from log-weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._axes import Axes
from autodiff.modules._draws import log_weights
from autodiff.modules._log_scale import log_scale

__all__ = ["Softmax"]


class Softmax(Module):
    """`exp(x) / Σ exp(x)` over `axis`; where all of them are -inf, so that nothing is possible, 0 throughout.

    Examples
    --------
    >>> output, backward = Softmax().forward([0.0, -np.inf, 0.0])
    >>> output
    array([0.5, 0. , 0.5])
    >>> backward(np.array([1.0, 1.0, 0.0]))
    (array([ 0.25,  0.  , -0.25]),)
    """

    def __init__(self, axis: Axes = -1) -> None:
        self.axis = axis

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the probabilities."""
        values = as_floats(x)
        weights = np.exp(values - log_scale(values, self.axis, "Softmax"))
        total = np.sum(weights, axis=self.axis, keepdims=True)
        probabilities = weights / np.where(total == 0, 1.0, total)

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `p * (adjoint - Σ p * adjoint)`."""
            expected = np.sum(probabilities * adjoint, axis=self.axis, keepdims=True)
            return (probabilities * (adjoint - expected),)

        return probabilities, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield several axes, large values, -inf, and nothing but -inf."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(axis=(0, 1)), (rng.normal(size=(2, 3)),)
        yield cls(axis=0), (1000.0 + rng.normal(size=(3, 2)),)
        yield cls(axis=1), (log_weights(rng, 4, 3),)
        yield cls(axis=0), (np.array([[-np.inf, 0.0], [-np.inf, -np.inf]]),)

"""The sum of the log semiring."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.module import Backward, Module
from autodiff.modules._axes import Axes, spread
from autodiff.modules._draws import log_weights
from autodiff.modules._log_scale import log_scale

__all__ = ["LogSumExp"]


class LogSumExp(Module):
    """`log Σ exp(x)` over `axis`: one axis, several, or (None) all of them.

    The sum of nothing but -inf, or of nothing at all, is -inf, and passes adjoints of exactly 0 back.

    Examples
    --------
    >>> output, backward = LogSumExp(axis=1).forward([[0.0, 0.0], [-np.inf, -np.inf]])
    >>> output
    array([0.69314718,       -inf])
    >>> backward(np.ones(2))
    (array([[0.5, 0.5],
           [0. , 0. ]]),)
    """

    def __init__(self, axis: Axes = None, *, keepdims: bool = False) -> None:
        self.axis = axis
        self.keepdims = keepdims

    def forward(self, x: ArrayLike) -> tuple[Array, Backward]:
        """Return the logarithm of the sum of exponentials."""
        values = as_floats(x)
        largest = log_scale(values, self.axis, "LogSumExp")
        with np.errstate(divide="ignore"):
            total = largest + np.log(np.sum(np.exp(values - largest), axis=self.axis, keepdims=True))

        def backward(adjoint: Array) -> tuple[Array]:
            """Return `adjoint * softmax(x)`."""
            shares = np.exp(values - np.where(np.isneginf(total), 0.0, total))
            return (shares * spread(adjoint, values.shape, self.axis, self.keepdims),)

        return total if self.keepdims else np.squeeze(total, axis=self.axis), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield every kind of axis, a scalar, large values, -inf, and nothing but -inf."""
        yield cls(), (rng.normal(size=(2, 3)),)
        yield cls(axis=(0, 2)), (rng.normal(size=(2, 3, 2)),)
        yield cls(axis=-1, keepdims=True), (1000.0 + rng.normal(size=(2, 3)),)
        yield cls(), (1.5,)
        yield cls(axis=1), (log_weights(rng, 4, 3),)
        yield cls(axis=0), (np.array([[-np.inf, 0.0], [-np.inf, -np.inf]]),)

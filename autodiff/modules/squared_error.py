"""The squared error."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, unbroadcast
from autodiff.module import Module
from autodiff.modules._reduction import Reduction, divisor

__all__ = ["SquaredError"]


class SquaredError(Module):
    """`(prediction - target)²`, its mean (or sum) over all elements; the two broadcast.

    Examples
    --------
    >>> loss = SquaredError()
    >>> float(loss.forward([1.0, 5.0], [1.0, 2.0]))
    4.5
    >>> loss.backward(1.0)
    (array([0., 3.]), array([-0., -3.]))
    """

    def __init__(self, reduction: Reduction = "mean") -> None:
        self.reduction = reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> Array:
        """Return the loss, a scalar."""
        guesses, truths = as_floats(prediction), as_floats(target)
        difference = np.asarray(guesses - truths)
        count = divisor(self.reduction, difference.size, "SquaredError")
        self._keep(guesses.shape, truths.shape, difference, count)
        return as_floats(np.sum(difference * difference) / count)

    def backward(self, adjoint: Array) -> tuple[Array, Array]:
        """Return `2 (prediction - target)` and its negative, each times the adjoint."""
        guesses, truths, difference, count = self._kept()
        slope = adjoint * 2.0 * difference / count
        return unbroadcast(slope, guesses), unbroadcast(-slope, truths)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield both reductions, broadcasting, and scalars."""
        yield cls(), (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
        yield cls("sum"), (rng.normal(size=(2, 3)), rng.normal(size=3))
        yield cls(), (1.0, 3.0)

"""The squared error."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._reduction import Reduction, divisor

__all__ = ["SquaredError"]


class SquaredError(Module):
    """`(prediction - target)²`, its mean (or sum) over all elements; both of one shape.

    Examples
    --------
    >>> output, backward = SquaredError().forward([1.0, 5.0], [1.0, 2.0])
    >>> float(output)
    4.5
    >>> backward(1.0)
    (array([0., 3.]), array([-0., -3.]))
    """

    def __init__(self, reduction: Reduction = "mean") -> None:
        self.reduction = reduction

    def forward(self, prediction: ArrayLike, target: ArrayLike) -> tuple[Array, Backward]:
        """Return the loss, a scalar."""
        guesses, truths = as_floats(prediction), as_floats(target)
        if guesses.shape != truths.shape:  # (n, 1) against (n,) would make n² differences, and nobody would notice
            raise DomainError(f"SquaredError: the prediction has shape {guesses.shape}, but the target {truths.shape}")
        difference = np.asarray(guesses - truths)
        count = divisor(self.reduction, difference.size, "SquaredError")

        def backward(adjoint: Array) -> tuple[Array, Array]:
            """Return `2 (prediction - target)` and its negative, each times the adjoint."""
            slope = np.asarray(adjoint * 2.0 * difference / count)
            return slope, -slope

        return as_floats(np.sum(difference * difference) / count), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield both reductions, and scalars."""
        yield cls(), (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
        yield cls("sum"), (rng.normal(size=3), rng.normal(size=3))
        yield cls(), (1.0, 3.0)

"""The negative log-likelihood of labels."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, as_indices
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._reduction import Reduction, divisor

__all__ = ["NegativeLogLikelihood"]


class NegativeLogLikelihood(Module):
    """`-log p(label)`, its mean (or sum): log-probabilities (…, classes), integer labels (…) → a scalar.

    Classes other than the label may be impossible (-inf); a label that is impossible is an error.

    Examples
    --------
    >>> output, backward = NegativeLogLikelihood().forward([[-1.0, -np.inf], [-2.0, -3.0]], [0, 1])
    >>> float(output)
    2.0
    >>> backward(1.0)
    (array([[-0.5,  0. ],
           [ 0. , -0.5]]), None)
    """

    def __init__(self, reduction: Reduction = "mean") -> None:
        self.reduction = reduction

    def forward(self, log_probabilities: ArrayLike, labels: ArrayLike) -> tuple[Array, Backward]:
        """Return the loss, a scalar."""
        table = as_floats(log_probabilities)
        if table.shape[:-1] != np.shape(labels) or table.ndim == 0:
            raise DomainError(
                f"NegativeLogLikelihood: log-probabilities {table.shape} must be (*labels.shape, classes), "
                f"but labels have shape {np.shape(labels)}"
            )
        places = as_indices(labels, table.shape[-1], "NegativeLogLikelihood")[..., np.newaxis]
        chosen = np.take_along_axis(table, places, axis=-1)
        if np.isneginf(chosen).any():
            position = tuple(int(i) for i in np.argwhere(np.isneginf(chosen))[0][:-1])
            raise DomainError(
                f"NegativeLogLikelihood: label {places[position][0]} at position {position} is impossible "
                "(log-probability -inf); allow the label, or leave the example out"
            )
        count = divisor(self.reduction, chosen.size, "NegativeLogLikelihood")

        def backward(adjoint: Array) -> tuple[Array, None]:
            """Return `-adjoint` (over the number of labels, for a mean) at the labels, 0 elsewhere."""
            placed = np.zeros(table.shape)
            np.put_along_axis(placed, places, -adjoint / count, axis=-1)
            return placed, None

        return as_floats(-np.sum(chosen) / count), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield both reductions, no leading axis, two of them, and impossible classes."""
        yield cls(), (rng.normal(size=(4, 3)), rng.integers(3, size=4))
        yield cls("sum"), (rng.normal(size=(2, 2, 3)), rng.integers(3, size=(2, 2)))
        yield cls(), (rng.normal(size=3), 1)
        table, labels = rng.normal(size=(4, 3)), rng.integers(3, size=4)
        table[np.arange(4), (labels + 1) % 3] = -np.inf
        yield cls(), (table, labels)

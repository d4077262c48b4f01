"""Sums of rows by index."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_count, as_floats, as_indices
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.sparse import sum_rows

__all__ = ["ScatterAdd"]


class ScatterAdd(Module):
    """Add rows into an array of `size` rows: values (*indices.shape, …), integer indices → (size, …).

    It is the transpose of `Gather`; rows that no index names are 0.

    Examples
    --------
    >>> output, backward = ScatterAdd(3).forward([1.0, 2.0, 4.0], [2, 0, 2])
    >>> output
    array([2., 0., 5.])
    >>> backward(np.array([1.0, 2.0, 3.0]))
    (array([3., 1., 3.]), None)
    """

    def __init__(self, size: int) -> None:
        self.size = as_count(size, "ScatterAdd: size")

    def forward(self, values: ArrayLike, indices: ArrayLike) -> tuple[Array, Backward]:
        """Return the sums."""
        terms = as_floats(values)
        targets = as_indices(indices, self.size, "ScatterAdd")
        if terms.shape[: targets.ndim] != targets.shape:
            raise DomainError(f"ScatterAdd: values {terms.shape} must begin with the shape {targets.shape} of indices")

        def backward(adjoint: Array) -> tuple[Array, None]:
            """Return `adjoint[indices]`."""
            return as_floats(adjoint)[targets], None

        return sum_rows(targets.ravel(), terms.reshape(targets.size, *terms.shape[targets.ndim :]), self.size), backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield values of every rank, repeated indices, one index, and none."""
        yield cls(4), (rng.normal(size=6), rng.integers(4, size=6))
        yield cls(3), (rng.normal(size=(2, 3, 2)), rng.integers(3, size=(2, 3)))
        yield cls(3), (rng.normal(size=2), 1)
        yield cls(3), (np.zeros((0, 2)), np.zeros(0, dtype=np.int64))

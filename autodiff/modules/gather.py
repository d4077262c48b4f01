"""Look-up of rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, as_indices
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.sparse import SparseAdjoint

__all__ = ["Gather"]


class Gather(Module):
    """Rows of a table, as in an embedding: table (rows, …), integer indices → (*indices.shape, …).

    The table's adjoint is sparse: it costs what the rows looked up cost, not what the table costs.

    Examples
    --------
    >>> output, backward = Gather().forward([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 0])
    >>> output
    array([[5., 6.],
           [1., 2.]])
    >>> table_adjoint, _ = backward(np.ones((2, 2)))
    >>> table_adjoint.dense()
    array([[1., 1.],
           [0., 0.],
           [1., 1.]])
    """

    def forward(self, table: ArrayLike, indices: ArrayLike) -> tuple[Array, Backward]:
        """Return `table[indices]`."""
        rows = as_floats(table, "Gather: table")
        if not rows.ndim:
            raise DomainError("Gather: the table is a single number; it must be (rows, …)")
        chosen = as_indices(indices, len(rows), "Gather")

        def backward(adjoint: Array) -> tuple[SparseAdjoint, None]:
            """Send the adjoint of each copy to its row."""
            return SparseAdjoint(
                chosen.ravel(), as_floats(adjoint).reshape(chosen.size, *rows.shape[1:]), rows.shape
            ), None

        return rows[chosen], backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield tables of every rank, repeated indices, one index, and none."""
        yield cls(), (rng.normal(size=(5, 2)), rng.integers(5, size=4))
        yield cls(), (rng.normal(size=3), rng.integers(3, size=(2, 3)))
        yield cls(), (rng.normal(size=(3, 2, 2)), 1)
        yield cls(), (rng.normal(size=(3, 2)), np.zeros(0, dtype=np.int64))

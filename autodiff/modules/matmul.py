"""Matrix products."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, unbroadcast
from autodiff.errors import DomainError
from autodiff.module import Backward, Module

__all__ = ["MatMul"]


class MatMul(Module):
    """`x @ y` as in NumPy: (…, n, k) by (…, k, m) gives (…, n, m); leading axes broadcast; or vectors.

    Examples
    --------
    >>> output, backward = MatMul().forward([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    >>> output
    array([3., 7.])
    >>> backward(np.array([1.0, 0.0]))
    (array([[1., 1.],
           [0., 0.]]), array([1., 2.]))
    """

    def forward(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Backward]:
        """Return `x @ y`."""
        left, right = as_floats(x), as_floats(y)
        fits = left.ndim and right.ndim and left.shape[-1] == right.shape[max(right.ndim - 2, 0)]
        try:
            np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        except ValueError:
            fits = False
        if not fits:
            raise DomainError(
                f"MatMul: x {left.shape} and y {right.shape} must be (…, rows, inner), (…, inner, columns); "
                "a vector is (inner,)"
            )

        def backward(adjoint: Array) -> tuple[Array, Array]:
            """Return `adjoint @ yᵀ` and `xᵀ @ adjoint`, summed over the leading axes that were broadcast."""
            rows = left[np.newaxis, :] if left.ndim == 1 else left
            columns = right[:, np.newaxis] if right.ndim == 1 else right
            product = as_floats(adjoint)
            if right.ndim == 1:
                product = product[..., np.newaxis]
            if left.ndim == 1:
                product = product[..., np.newaxis, :]
            of_rows = unbroadcast(product @ np.swapaxes(columns, -1, -2), rows.shape)
            of_columns = unbroadcast(np.swapaxes(rows, -1, -2) @ product, columns.shape)
            return of_rows.reshape(left.shape), of_columns.reshape(right.shape)

        return left @ right, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield matrices, vectors on either side, and batches that broadcast."""
        for left, right in [
            ((2, 3), (3, 4)),
            ((3,), (3, 2)),
            ((2, 3), (3,)),
            ((3,), (3,)),
            ((2, 1, 2, 3), (4, 3, 2)),
            ((2, 2, 3), (3,)),
            ((3,), (2, 3, 2)),
        ]:
            yield cls(), (rng.normal(size=left), rng.normal(size=right))

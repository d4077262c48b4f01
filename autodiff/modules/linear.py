"""The affine layer."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module

__all__ = ["Linear"]


class Linear(Module):
    """`x @ weights + bias`: x (…, inputs), weights (inputs, outputs), bias (outputs,) → (…, outputs).

    The bias may be left out.

    Examples
    --------
    >>> output, backward = Linear().forward([[1.0, 2.0]], [[1.0], [10.0]], [0.5])
    >>> output
    array([[21.5]])
    >>> backward(np.array([[2.0]]))
    (array([[ 2., 20.]]), array([[2.],
           [4.]]), array([2.]))
    """

    def forward(self, x: ArrayLike, weights: ArrayLike, bias: ArrayLike | None = None) -> tuple[Array, Backward]:
        """Return `x @ weights + bias`."""
        values, matrix = as_floats(x), as_floats(weights)
        offset = None if bias is None else as_floats(bias)
        if matrix.ndim != 2 or values.shape[-1:] != matrix.shape[:1]:
            raise DomainError(
                f"Linear: x {values.shape} and weights {matrix.shape} must be (…, inputs), (inputs, outputs)"
            )
        if offset is not None and offset.shape != matrix.shape[1:]:
            raise DomainError(f"Linear: bias {offset.shape} must have the shape {matrix.shape[1:]} of the outputs")

        def backward(adjoint: Array) -> tuple[Array, ...]:
            """Return `adjoint @ weightsᵀ`, `xᵀ @ adjoint` and the sum of `adjoint` over all but the last axis."""
            inputs, outputs = matrix.shape
            count = int(np.prod(values.shape[:-1]))
            rows = as_floats(adjoint).reshape(count, outputs)
            adjoints = ((rows @ matrix.T).reshape(values.shape), values.reshape(count, inputs).T @ rows)
            return (*adjoints, rows.sum(axis=0)) if offset is not None else adjoints

        return values @ matrix if offset is None else values @ matrix + offset, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield a batch, a vector, two leading axes, and no bias."""
        for shape in [(4, 3), (3,), (2, 2, 3)]:
            yield cls(), (rng.normal(size=shape), rng.normal(size=(3, 2)), rng.normal(size=2))
        yield cls(), (rng.normal(size=(4, 3)), rng.normal(size=(3, 2)))

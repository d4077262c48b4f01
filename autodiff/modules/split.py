"""One array cut into several."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._axes import check_axes

__all__ = ["Split"]


class Split(Module):
    """Cut an array along an axis into parts of the given sizes, one output each; `Concatenate` undoes it.

    Examples
    --------
    >>> output, backward = Split((2, 1)).forward([1.0, 2.0, 3.0])
    >>> output
    (array([1., 2.]), array([3.]))
    >>> backward(np.array([4.0, 5.0]), None)
    (array([4., 5., 0.]),)
    """

    def __init__(self, sizes: tuple[int, ...], axis: int = 0) -> None:
        self.sizes = sizes
        self.axis = axis
        self.output_count = len(sizes)

    def forward(self, x: ArrayLike) -> tuple[tuple[Array, ...], Backward]:
        """Return the parts."""
        values = as_floats(x)
        check_axes("Split", self.axis, values)
        if values.shape[self.axis] != sum(self.sizes):
            raise DomainError(
                f"Split: axis {self.axis} of an array {values.shape} cannot be cut into parts of {self.sizes}"
            )
        parts = tuple(np.split(values, np.cumsum(self.sizes)[:-1], axis=self.axis))

        def backward(*adjoints: Array | None) -> tuple[Array]:
            """Join the adjoints of the parts; None counts as zeros."""
            arrays = [
                np.zeros(part.shape) if adjoint is None else as_floats(adjoint)
                for adjoint, part in zip(adjoints, parts, strict=True)
            ]
            return (np.concatenate(arrays, axis=self.axis),)

        return parts, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield several parts, an inner axis, and one part."""
        yield cls((2, 1, 3)), (rng.normal(size=(6, 2)),)
        yield cls((1, 2), axis=-1), (rng.normal(size=(2, 3)),)
        yield cls((3,)), (rng.normal(size=3),)

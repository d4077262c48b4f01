"""Adjoints that are zero almost everywhere: those of look-ups and of hashed features."""

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

__all__ = ["SparseAdjoint", "sum_rows"]


def sum_rows(indices: NDArray[np.int64], values: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """Return the `(rows, *values.shape[1:])` array of which row `indices[i]` has had `values[i]` added to it.

    `np.bincount` adds in the order given, as `np.add.at` does, and several times faster.

    Examples
    --------
    >>> sum_rows(np.array([1, 1]), np.array([[1.0, 2.0], [3.0, 4.0]]), 3)
    array([[0., 0.],
           [4., 6.],
           [0., 0.]])
    """
    row_shape = values.shape[1:]
    width = int(np.prod(row_shape))
    if width == 1:
        sums = np.bincount(indices, weights=values.ravel(), minlength=rows)
    else:
        cells = indices[:, np.newaxis] * width + np.arange(width)
        sums = np.bincount(cells.ravel(), weights=values.ravel(), minlength=rows * width)
    # An empty `indices` makes bincount return integers.
    return sums.astype(np.float64, copy=False).reshape(rows, *row_shape)


def _as_indices(indices: Any) -> NDArray[np.int64]:
    return np.asarray(indices, dtype=np.int64)


def _as_values(values: Any) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


@frozen(eq=False)
class SparseAdjoint:
    """The adjoint of an array of which only some rows were used.

    Row `indices[i]` of the dense adjoint has `values[i]` added to it; a row may occur several times.

    Parameters
    ----------
    indices : (touched,) int64
    values : (touched, *shape[1:]) float64
    shape : shape of the dense array

    Examples
    --------
    >>> SparseAdjoint(np.array([2, 0, 2]), np.array([1.0, 5.0, 1.0]), (4,)).dense()
    array([5., 0., 2., 0.])
    """

    indices: NDArray[np.int64] = field(converter=_as_indices)
    values: NDArray[np.float64] = field(converter=_as_values)
    shape: tuple[int, ...] = field()

    def __attrs_post_init__(self) -> None:
        expected = (*self.indices.shape, *self.shape[1:])
        if self.indices.ndim != 1 or not self.shape or self.values.shape != expected:
            raise ValueError(
                f"SparseAdjoint of shape {self.shape}: indices {self.indices.shape} and values "
                f"{self.values.shape} do not fit; indices must be (touched,) and values (touched, *shape[1:])"
            )

    def dense(self) -> NDArray[np.float64]:
        """Return the same adjoint as an array of shape `shape`."""
        return sum_rows(self.indices, self.values, self.shape[0])

    def coalesced(self) -> "SparseAdjoint":
        """Return the same adjoint with every index once, in ascending order."""
        unique, inverse = np.unique(self.indices, return_inverse=True)
        return SparseAdjoint(unique, sum_rows(inverse, self.values, len(unique)), self.shape)

    def __add__(self, other: "SparseAdjoint | NDArray[np.float64]") -> "SparseAdjoint | NDArray[np.float64]":
        """Add; sparse + sparse stays sparse, sparse + dense is dense (and a new array)."""
        if isinstance(other, SparseAdjoint):
            if other.shape != self.shape:
                raise ValueError(f"cannot add sparse adjoints of shapes {self.shape} and {other.shape}")
            return SparseAdjoint(
                np.concatenate([self.indices, other.indices]),
                np.concatenate([self.values, other.values]),
                self.shape,
            )
        if np.shape(other) != self.shape:
            raise ValueError(f"cannot add a sparse adjoint of shape {self.shape} to an array {np.shape(other)}")
        touched = self.coalesced()
        dense = np.array(other, dtype=np.float64)
        dense[touched.indices] += touched.values
        return dense

    # Keep NumPy from taking `array + sparse` apart into elements.
    __array_ufunc__ = None
    __radd__ = __add__

"""Adjoints that are zero almost everywhere: those of look-ups and of hashed features."""

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.conversion import as_count, as_floats, as_integers
from autodiff.errors import DomainError

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
    indices, values = as_integers(indices, "indices"), as_floats(values, "values")
    rows = as_count(rows, "rows")
    if indices.ndim != 1 or values.shape[:1] != indices.shape:
        raise DomainError(f"indices {indices.shape} must be (touched,), and values {values.shape} (touched, …)")
    _check_range(indices, rows)
    row_shape = values.shape[1:]
    width = int(np.prod(row_shape))
    if width == 1:
        sums = np.bincount(indices, weights=values.ravel(), minlength=rows)
    else:
        cells = indices[:, np.newaxis] * width + np.arange(width)
        sums = np.bincount(cells.ravel(), weights=values.ravel(), minlength=rows * width)
    # An empty `indices` makes bincount return integers.
    return sums.astype(np.float64, copy=False).reshape(rows, *row_shape)


def _check_range(indices: NDArray[np.int64], rows: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        wrong = indices[(indices < 0) | (indices >= rows)][0]
        raise DomainError(f"indices: {wrong} is outside 0 … {rows - 1}, the rows that there are")


def _as_shape(shape: Any) -> tuple[int, ...]:
    return tuple(as_count(size, "SparseAdjoint: a size of the shape") for size in shape)


def _as_indices(indices: Any) -> NDArray[np.int64]:
    return as_integers(indices, "SparseAdjoint: indices")


def _as_values(values: Any) -> NDArray[np.float64]:
    return as_floats(values, "SparseAdjoint: values")


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
    shape: tuple[int, ...] = field(converter=_as_shape)

    def __attrs_post_init__(self) -> None:
        expected = (*self.indices.shape, *self.shape[1:])
        if self.indices.ndim != 1 or not self.shape or self.values.shape != expected:
            raise DomainError(
                f"SparseAdjoint of shape {self.shape}: indices {self.indices.shape} and values "
                f"{self.values.shape} do not fit; indices must be (touched,) and values (touched, *shape[1:])"
            )

    def dense(self) -> NDArray[np.float64]:
        """Return the same adjoint as an array of shape `shape`."""
        return sum_rows(self.indices, self.values, self.shape[0])

    def coalesced(self) -> "SparseAdjoint":
        """Return the same adjoint with every index once, in ascending order."""
        _check_range(self.indices, self.shape[0])
        unique, inverse = np.unique(self.indices, return_inverse=True)
        return SparseAdjoint(unique, sum_rows(inverse, self.values, len(unique)), self.shape)

    def __add__(self, other: "SparseAdjoint | NDArray[np.float64]") -> "SparseAdjoint | NDArray[np.float64]":
        """Add; sparse + sparse stays sparse, sparse + dense is dense (and a new array)."""
        if isinstance(other, SparseAdjoint):
            if other.shape != self.shape:
                raise DomainError(f"cannot add sparse adjoints of shapes {self.shape} and {other.shape}")
            return SparseAdjoint(
                np.concatenate([self.indices, other.indices]),
                np.concatenate([self.values, other.values]),
                self.shape,
            )
        dense = np.array(as_floats(other, "the other adjoint"))
        if dense.shape != self.shape:
            raise DomainError(f"cannot add a sparse adjoint of shape {self.shape} to an array {dense.shape}")
        touched = self.coalesced()
        dense[touched.indices] += touched.values
        return dense

    # Keep NumPy from taking `array + sparse` apart into elements.
    __array_ufunc__ = None
    __radd__ = __add__

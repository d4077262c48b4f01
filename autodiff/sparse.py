"""Adjoints that are zero almost everywhere: those of look-ups and of hashed features."""

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

__all__ = ["SparseAdjoint"]


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

    indices: NDArray[np.int64] = field()
    values: NDArray[np.float64] = field()
    shape: tuple[int, ...] = field()

    def dense(self) -> NDArray[np.float64]:
        """Return the same adjoint as an array of shape `shape`."""
        dense = np.zeros(self.shape)
        np.add.at(dense, self.indices, self.values)
        return dense

    def coalesced(self) -> "SparseAdjoint":
        """Return the same adjoint with every index once, in ascending order."""
        unique, inverse = np.unique(self.indices, return_inverse=True)
        summed = np.zeros((len(unique), *self.shape[1:]))
        np.add.at(summed, inverse, self.values)
        return SparseAdjoint(unique, summed, self.shape)

    def __add__(self, other: "SparseAdjoint | NDArray[np.float64]") -> "SparseAdjoint | NDArray[np.float64]":
        """Add; sparse + sparse stays sparse, sparse + dense is dense (and a new array)."""
        if isinstance(other, SparseAdjoint):
            return SparseAdjoint(
                np.concatenate([self.indices, other.indices]),
                np.concatenate([self.values, other.values]),
                self.shape,
            )
        dense = np.array(other, dtype=np.float64)
        np.add.at(dense, self.indices, self.values)
        return dense

    # Keep NumPy from taking `array + sparse` apart into elements.
    __array_ufunc__ = None
    __radd__ = __add__

"""What enters a step: gradients checked against their parameters, and sparse ones with every row once."""

from collections.abc import Mapping

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.optimizers.errors import GradientError, NonFiniteGradientError, OptimizerError
from autodiff.sparse import SparseAdjoint

Gradient = NDArray[np.float64] | SparseAdjoint | None


@frozen(eq=False)
class RowGradient:
    """The gradient of some rows of a parameter: `rows` is all, or ascending indices without repetition."""

    rows: slice | NDArray[np.int64]
    values: NDArray[np.float64]

    def part(self, part: slice) -> "RowGradient":
        """Return some of the rows, given by their position."""
        return RowGradient(part if isinstance(self.rows, slice) else self.rows[part], self.values[part])


def as_rows(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a view with at least one axis."""
    return array.reshape(1) if array.ndim == 0 else array


def coalesce(indices: NDArray[np.int64], values: NDArray[np.float64]) -> RowGradient:
    """Sum the values of every index.

    A repeated row must be summed *before* anything squares it.  Index and position are packed into one
    integer where they fit: sorting plain integers is several times faster than an argsort, and the order of
    summation stays that of the input, so the result is the same everywhere.

    >>> coalesced = coalesce(np.array([7, 2, 7]), np.array([1.0, 5.0, 2.0]))
    >>> coalesced.rows, coalesced.values
    (array([2, 7]), array([5., 3.]))
    """
    if len(indices) < 2 or bool((indices[1:] > indices[:-1]).all()):
        return RowGradient(indices, values)
    bits = int(len(indices) - 1).bit_length()
    if int(indices.max()).bit_length() + bits < 63:
        packed = indices << bits
        packed |= np.arange(len(indices))
        packed.sort()
        order = packed & ((1 << bits) - 1)
        packed >>= bits
        ordered = packed
    else:
        order = np.argsort(indices, kind="stable")
        ordered = indices[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    with np.errstate(over="ignore", invalid="ignore"):  # the update refuses what is then not finite
        return RowGradient(ordered[starts], np.add.reduceat(values[order], starts, axis=0))


def check_parameters(parameters: Mapping[str, NDArray[np.float64]]) -> None:
    """Refuse parameters that cannot be updated in place."""
    for name, parameter in parameters.items():
        check_array(name, parameter)


def check_array(name: str, parameter: NDArray[np.float64]) -> None:
    """Refuse an array that cannot be updated in place.

    >>> check_array("w", np.zeros(2))
    """
    if not isinstance(parameter, np.ndarray) or parameter.dtype != np.float64:
        seen = parameter.dtype if isinstance(parameter, np.ndarray) else type(parameter).__name__
        raise OptimizerError(
            f"parameter {name!r} is {seen}, but optimisers update float64 arrays in place: "
            "convert it with .astype(numpy.float64) and keep the result"
        )
    if not parameter.flags.writeable:
        raise OptimizerError(f"parameter {name!r} is read-only: pass a writeable copy")


def check_gradients_known(parameters: Mapping[str, NDArray[np.float64]], gradients: Mapping[str, Gradient]) -> None:
    """Refuse a gradient whose parameter is not there."""
    for name in gradients:
        if name not in parameters:
            raise GradientError(
                f"gradient for unknown parameter {name!r}; the parameters are {sorted(parameters)}: "
                "pass the parameter too, or leave the gradient out"
            )


def row_indices(name: str, count: int, indices: ArrayLike) -> NDArray[np.int64]:
    """Check the indices of some of `count` rows, and return them as they are."""
    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise GradientError(
            f"indices of rows of {name!r} are {array.dtype} of shape {array.shape}, "
            "but must be whole numbers in one dimension"
        )
    if array.size and (array.min() < 0 or array.max() >= count):
        wrong = array[(array < 0) | (array >= count)][0]
        raise GradientError(
            f"index {wrong} of a row of {name!r} is out of range: the parameter has {count} rows, from 0 on"
        )
    return array.astype(np.int64, copy=False)


def row_gradient(name: str, shape: tuple[int, ...], gradient: Gradient) -> RowGradient:
    """Check one gradient against the shape of its parameter and return it by rows; None touches no row.

    >>> row_gradient("w", (3,), SparseAdjoint([2, 2], [1.0, 0.5], (3,)))
    RowGradient(rows=array([2]), values=array([1.5]))
    """
    if gradient is None:
        return RowGradient(np.zeros(0, dtype=np.int64), np.zeros((0, *shape[1:])))
    if isinstance(gradient, SparseAdjoint):
        return _sparse_rows(name, shape, gradient)
    dense = _as_float64(name, gradient)
    _check_shape(name, shape, dense.shape)
    _check_finite(name, dense)
    return RowGradient(slice(None), as_rows(dense))


def _sparse_rows(name: str, shape: tuple[int, ...], gradient: SparseAdjoint) -> RowGradient:
    _check_shape(name, shape, tuple(gradient.shape))
    values = _as_float64(name, gradient.values)
    indices = row_indices(name, shape[0], gradient.indices)
    _check_finite(name, values)
    return coalesce(indices, values)


def _as_float64(name: str, gradient: object) -> NDArray[np.float64]:
    array = np.asarray(gradient)
    if array.dtype.kind not in "fiu":
        raise GradientError(f"gradient of {name!r} has type {array.dtype}, but must hold real numbers (float64)")
    return array.astype(np.float64, copy=False)


def _check_shape(name: str, expected: tuple[int, ...], shape: tuple[int, ...]) -> None:
    if shape != expected:
        raise GradientError(
            f"gradient of {name!r} has shape {shape}, but the parameter has shape {expected}: they must be equal"
        )


def _check_finite(name: str, values: NDArray[np.float64]) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise NonFiniteGradientError(
            f"gradient of {name!r} is {values[where]} at position {where} "
            f"({values.size - int(finite.sum())} of {values.size} values are not finite); nothing was "
            "updated: "
            "check the loss, or lower the learning rate"
        )

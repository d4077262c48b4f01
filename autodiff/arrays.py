"""What every module does with arrays: reads them, undoes broadcasts, multiplies past -inf."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count, as_floats, as_generator, as_integers
from autodiff.errors import DomainError
from autodiff.sparse import SparseAdjoint

__all__ = [
    "Adjoint",
    "Array",
    "as_count",
    "as_floats",
    "as_generator",
    "as_indices",
    "as_integers",
    "check_broadcast",
    "safe_product",
    "unbroadcast",
]

Array: TypeAlias = NDArray[np.float64]
Adjoint: TypeAlias = Array | SparseAdjoint


def as_indices(indices: ArrayLike, limit: int, owner: str) -> NDArray[np.int64]:
    """Return `indices` as int64 after checking that each is in `0 … limit - 1`.

    Examples
    --------
    >>> as_indices([0, 2], 3, "Gather")
    array([0, 2])
    >>> as_indices([0, 3], 3, "Gather")
    Traceback (most recent call last):
    autodiff.errors.DomainError: Gather: index 3 at position (1,) is outside 0 … 2
    """
    array = as_integers(indices, f"{owner}: indices")
    if array.size and (array.min() < 0 or array.max() >= limit):
        position = tuple(int(i) for i in np.argwhere((array < 0) | (array >= limit))[0])
        raise DomainError(f"{owner}: index {array[position]} at position {position} is outside 0 … {limit - 1}")
    return array


def check_broadcast(owner: str, *arrays: Array) -> None:
    """Refuse arrays whose shapes do not broadcast.

    Examples
    --------
    >>> check_broadcast("Add", np.zeros((2, 3)), np.zeros(3))
    >>> check_broadcast("Add", np.zeros((2, 3)), np.zeros(2))
    Traceback (most recent call last):
    autodiff.errors.DomainError: Add: the shapes (2, 3) and (2,) do not broadcast: sizes are equal, or one of them is 1
    """
    shapes = [array.shape for array in arrays]
    if any(shape != shapes[0] for shape in shapes):
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            listed = " and ".join(map(str, shapes))
            raise DomainError(
                f"{owner}: the shapes {listed} do not broadcast: sizes are equal, or one of them is 1"
            ) from None


def unbroadcast(adjoint: Any, shape: tuple[int, ...]) -> Array:
    """Sum `adjoint` over the axes along which an array of `shape` was broadcast.

    Broadcasting copies a value; the adjoint of a value is the sum of the adjoints of its copies.

    Examples
    --------
    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    >>> unbroadcast(np.ones((2, 3)), (2, 1))
    array([[3.],
           [3.]])
    """
    array = as_floats(adjoint, "adjoint")
    if array.shape == shape:
        return array
    fits = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else ()
    if len(fits) != len(shape) or any(size not in (1, wide) for size, wide in zip(shape, fits, strict=True)):
        raise DomainError(f"unbroadcast: an array of shape {shape} cannot have been broadcast to {array.shape}")
    array = np.asarray(array.sum(axis=tuple(range(array.ndim - len(shape)))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and array.shape[axis] != 1)
    return np.asarray(array.sum(axis=stretched, keepdims=True)) if stretched else array


def safe_product(adjoint: Any, partial: Any) -> Array:
    """Return `adjoint * partial`, exactly 0 where the adjoint is 0, even if the partial is infinite.

    A part that nothing depends on has gradient 0, and `0 * -inf` would make it NaN.

    Examples
    --------
    >>> safe_product(np.array([0.0, 2.0]), np.array([-np.inf, 3.0]))
    array([0., 6.])
    """
    left, right = as_floats(adjoint, "adjoint"), as_floats(partial, "partial")
    check_broadcast("safe_product", left, right)
    with np.errstate(invalid="ignore"):
        product = np.asarray(left * right)
    if np.isnan(product).any():
        product = np.where(left == 0, 0.0, product)
    return product

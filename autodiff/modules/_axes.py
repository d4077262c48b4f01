"""Axes of reductions."""

from typing import TypeAlias

import numpy as np

from autodiff.arrays import Array, as_floats
from autodiff.errors import DomainError

__all__ = ["Axes", "check_axes", "spread"]

Axes: TypeAlias = int | tuple[int, ...] | None


def check_axes(owner: str, axis: Axes, values: Array) -> None:
    """Refuse axes that an array does not have.

    Examples
    --------
    >>> check_axes("Sum", (0, -1), np.zeros((2, 3)))
    >>> check_axes("Sum", 2, np.zeros((2, 3)))
    Traceback (most recent call last):
    autodiff.errors.DomainError: Sum: an array of shape (2, 3) has no axis 2
    """
    for each in () if axis is None else axis if isinstance(axis, tuple) else (axis,):
        if not isinstance(each, int | np.integer) or not -values.ndim <= each < values.ndim:
            raise DomainError(f"{owner}: an array of shape {values.shape} has no axis {each!r}")


def spread(reduced: Array, shape: tuple[int, ...], axis: Axes, keepdims: bool) -> Array:
    """Return a read-only view of a reduction over `axis`, stretched back to the `shape` that was reduced.

    Examples
    --------
    >>> spread(np.array([1.0, 2.0]), (2, 3), axis=1, keepdims=False)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    values = as_floats(reduced)
    if not keepdims:
        axes = tuple(range(len(shape))) if axis is None else axis
        values = np.expand_dims(values, axes)
    return np.broadcast_to(values, shape)

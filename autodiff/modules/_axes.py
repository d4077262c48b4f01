"""Axes of reductions."""

from typing import TypeAlias

import numpy as np

from autodiff.arrays import Array, as_floats

__all__ = ["Axes", "spread"]

Axes: TypeAlias = int | tuple[int, ...] | None


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

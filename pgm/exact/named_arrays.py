"""Arrays whose axes are variables, in the log domain: products, sums, maxima."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats

__all__ = ["NamedArray", "log_sum", "maximise", "multiply"]


@frozen(eq=False)
class NamedArray:
    """Log-values with an axis for each variable of `scope`."""

    scope: tuple[int, ...] = field()
    values: Floats = field()

    def at(self, states: Mapping[int, int]) -> "NamedArray":
        """Return the part where some variables have given states."""
        place = tuple(states.get(v, slice(None)) for v in self.scope)
        return NamedArray(tuple(v for v in self.scope if v not in states), np.asarray(self.values[place]))

    def aligned(self, scope: Sequence[int]) -> Floats:
        """Return the values with the axes of a larger scope, of length 1 where this array has none."""
        axes = [scope.index(v) for v in self.scope]
        ordered = self.values.transpose(np.argsort(axes))
        shape = [1] * len(scope)
        for axis, length in zip(sorted(axes), ordered.shape, strict=True):
            shape[axis] = length
        return ordered.reshape(shape)


def multiply(arrays: Collection[NamedArray]) -> NamedArray:
    """Return the product (a sum, in the log domain).

    Small arrays are multiplied first, so that few steps are as large as the result; new axes are put in front, so that
    NumPy's inner loops are long.

    Examples
    --------
    >>> product = multiply([NamedArray((0,), np.array([1.0, 2.0])), NamedArray((1,), np.array([10.0, 20.0]))])
    >>> product.scope, product.values.tolist()
    ((1, 0), [[11.0, 12.0], [21.0, 22.0]])
    """
    waiting = sorted(arrays, key=lambda array: array.values.size)
    if not waiting:
        return NamedArray((), np.zeros(()))
    result = waiting.pop(0)
    while waiting:
        inside = set(result.scope)
        chosen = [a for a in waiting if inside.issuperset(a.scope)]  # they bring no new axes: all of them at once
        if chosen:
            waiting = [a for a in waiting if not inside.issuperset(a.scope)]
        else:
            growth = [
                math.prod(n for v, n in zip(a.scope, a.values.shape, strict=True) if v not in inside) for a in waiting
            ]
            chosen = [waiting.pop(growth.index(min(growth)))]
        for array in chosen:
            scope = (*(v for v in array.scope if v not in inside), *result.scope)
            result = NamedArray(scope, array.aligned(scope) + result.aligned(scope))
    return result


def log_sum(array: NamedArray, keep: Sequence[int]) -> NamedArray:
    """Sum all but some variables out; stable whatever the range of the values.

    Examples
    --------
    >>> table = NamedArray((0, 1), np.array([[0.0, -np.inf], [1e4, 1e4]]))
    >>> log_sum(table, [0]).values
    array([    0.        , 10000.69314718])
    """
    values = _split(array, keep)
    top = values.max(axis=0)
    top[top == -np.inf] = 0.0
    weights = values - top
    np.exp(weights, out=weights)
    with np.errstate(divide="ignore"):
        total = np.log(weights.sum(axis=0)) + top
    return NamedArray(tuple(keep), total.reshape([array.values.shape[array.scope.index(v)] for v in keep]))


def maximise(array: NamedArray, keep: Sequence[int]) -> NamedArray:
    """Maximise all but some variables out."""
    values = _split(array, keep).max(axis=0)
    return NamedArray(tuple(keep), values.reshape([array.values.shape[array.scope.index(v)] for v in keep]))


def _split(array: NamedArray, keep: Sequence[int]) -> Floats:
    """Return the values as (the others, those to keep)."""
    kept = [array.scope.index(v) for v in keep]
    others = [axis for axis in range(len(array.scope)) if axis not in kept]
    width = int(np.prod([array.values.shape[axis] for axis in kept]))
    return array.values.transpose([*others, *kept]).reshape(-1, width)

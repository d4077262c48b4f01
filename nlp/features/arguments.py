"""What is handed to features, as the kernels take it, or an error that says what is wrong."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats, as_integers
from autodiff.optimizers.gradient_buffer import GradientBuffer, check_adjoint
from nlp.features import kernels
from nlp.features.errors import FeatureError

__all__ = ["as_adjoint", "as_bits", "as_positions", "as_weights", "check_buffer"]

_MOST_BITS = 31


def as_bits(value: Any, *, least: int = 1) -> int:
    """Return the number of bits of an index.

    >>> as_bits(40)
    Traceback (most recent call last):
    nlp.features.errors.FeatureError: bits is 40, but must be a whole number from 1 to 31
    """
    if not (isinstance(value, int | np.integer) and least <= value <= _MOST_BITS):
        raise FeatureError(f"bits is {value!r}, but must be a whole number from {least} to {_MOST_BITS}")
    return int(value)


def as_weights(weights: Any, slots: int) -> NDArray[np.floating]:
    """Return (slots,) float64 or float32.

    >>> as_weights([1, 2], 2)
    array([1., 2.])
    """
    if not isinstance(weights, np.ndarray) or weights.dtype not in (np.float64, np.float32):
        weights = as_floats(weights, "weights", FeatureError)
    array: NDArray[np.floating] = np.ascontiguousarray(weights)
    if array.shape != (slots,):
        raise FeatureError(f"weights of shape {array.shape}; expected ({slots},), 2^bits of them")
    return array


def as_positions(parts: Sequence[ArrayLike], roles: Sequence[str], n: int) -> list[NDArray[np.int64]]:
    """Return one array of positions, from 0 to n, for each role.

    >>> as_positions([[0, 2]], ["m"], 1)
    Traceback (most recent call last):
    nlp.features.errors.FeatureError: positions of m go from 0 to 2; expected 0 to 1
    """
    if len(parts) != len(roles):
        raise FeatureError(f"{len(parts)} arrays of positions; expected {len(roles)}: of {', '.join(roles)}")
    named = zip(roles, parts, strict=True)
    given = [as_integers(part, f"positions of {role}", FeatureError) for role, part in named]
    positions = [np.ascontiguousarray(array) for array in given]
    for role, array in zip(roles, positions, strict=True):
        if array.ndim != 1 or array.shape != positions[0].shape:
            raise FeatureError(f"positions of {role} have shape {array.shape}; expected {positions[0].shape}")
        if kernels.positions.outside(array, n) >= 0:
            raise FeatureError(f"positions of {role} go from {array.min()} to {array.max()}; expected 0 to {n}")
    return positions


def as_adjoint(adjoint: ArrayLike, count: int, what: str) -> NDArray[np.float64]:
    """Return (count,) numbers of reasonable size.

    >>> as_adjoint([1.0], 2, "part")
    Traceback (most recent call last):
    nlp.features.errors.FeatureError: an adjoint of shape (1,) for 2 parts; expected one a part
    """
    numbers = np.ascontiguousarray(as_floats(adjoint, "adjoint", FeatureError))
    if numbers.shape != (count,):
        raise FeatureError(f"an adjoint of shape {numbers.shape} for {count} {what}s; expected one a {what}")
    check_adjoint(numbers, FeatureError)
    return numbers


def check_buffer(buffer: GradientBuffer, slots: int, smallest: Any) -> None:
    """Refuse a buffer of another length, and a bound of adjoints that is no number.

    >>> check_buffer(GradientBuffer(4), 8, 0.0)
    Traceback (most recent call last):
    nlp.features.errors.FeatureError: a buffer of 4 slots; expected 8
    """
    if not isinstance(smallest, Real) or math.isnan(float(smallest)):
        raise FeatureError(f"smallest is {smallest!r}, but must be a number")
    if len(buffer) != slots:
        raise FeatureError(f"a buffer of {len(buffer)} slots; expected {slots}")

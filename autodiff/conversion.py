"""What comes in from users as the arrays and numbers that the packages work on, or an error that says what is wrong."""

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.errors import DomainError

__all__ = ["as_count", "as_floats", "as_generator", "as_integers", "as_number"]


def as_floats(
    values: ArrayLike,
    what: str = "values",
    error: type[Exception] = DomainError,
    *,
    shape: tuple[int, ...] | None = None,
) -> NDArray[np.float64]:
    """Return `values` as a float64 array; an array that already is one is not copied.

    Raises
    ------
    DomainError (or `error`)
        If they are no real numbers (complex numbers, text, dates, lists of unequal length), or not of this shape.

    Examples
    --------
    >>> as_floats([1, 2])
    array([1., 2.])
    >>> as_floats(["many"], "scores")
    Traceback (most recent call last):
    autodiff.errors.DomainError: scores: an array of real numbers is needed, not one of <U4
    """
    array = _as_array(values, what, error)
    if shape is not None and array.shape != shape:
        raise error(f"{what}: an array of shape {shape} is needed, not one of shape {array.shape}")
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "fiubO":
        raise error(f"{what}: an array of real numbers is needed, not one of {array.dtype}")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise error(f"{what}: an array of real numbers is needed, but {reason}") from None


def as_integers(values: ArrayLike, what: str = "values", error: type[Exception] = DomainError) -> NDArray[np.int64]:
    """Return `values` as an int64 array; an array that already is one is not copied.

    Raises
    ------
    DomainError (or `error`)
        If they are no whole numbers; 3.0 is not one either, so that nothing is cut off.

    Examples
    --------
    >>> as_integers([3, 2])
    array([3, 2])
    >>> as_integers([3.7, 2], "lengths")
    Traceback (most recent call last):
    autodiff.errors.DomainError: lengths must be integers, not float64 values such as 3.7
    """
    array = _as_array(values, what, error)
    if array.dtype == np.int64:
        return array
    if not array.size:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise error(f"{what} must be integers, not {array.dtype} values such as {array.flat[0]}")
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise error(f"{what}: {array.max()} is too large for an index or a number of things")
    return array.astype(np.int64)


def as_count(value: Any, what: str, error: type[Exception] = DomainError, *, least: int = 0) -> int:
    """Return a whole number from `least` on as an int.

    Examples
    --------
    >>> as_count(np.int64(3), "kbest: k", least=1)
    3
    >>> as_count(0, "kbest: k", least=1)
    Traceback (most recent call last):
    autodiff.errors.DomainError: kbest: k is 0, but must be a whole number, 1 or above
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise error(f"{what} is {value!r}, but must be a whole number, {least} or above")
    return int(value)


def as_number(
    value: Any,
    what: str,
    error: type[Exception] = DomainError,
    *,
    least: float | None = None,
    above: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> float:
    """Return a finite number in a range as a float.

    Examples
    --------
    >>> as_number(np.float32(0.5), "fit: rate", above=0)
    0.5
    >>> as_number(float("nan"), "fit: rate", above=0)
    Traceback (most recent call last):
    autodiff.errors.DomainError: fit: rate is nan, but must be a finite number, above 0
    """
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if (
        not math.isfinite(number)
        or (least is not None and number < least)
        or (above is not None and number <= above)
        or (below is not None and number >= below)
        or (most is not None and number > most)
    ):
        ends = ((least, "{:g} or above"), (above, "above {:g}"), (below, "below {:g}"), (most, "{:g} or below"))
        allowed = ", ".join(["a finite number", *(text.format(end) for end, text in ends if end is not None)])
        raise error(f"{what} is {value!r}, but must be {allowed}")
    return number


def as_generator(seed: Any, what: str = "seed", error: type[Exception] = DomainError) -> np.random.Generator:
    """Return the random generator for a seed: a Generator itself, or a whole number from 0 on.

    Examples
    --------
    >>> bool(as_generator(1).random() == as_generator(1).random())
    True
    """
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(as_count(seed, what, error))


def _as_array(values: ArrayLike, what: str, error: type[Exception]) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as reason:  # lists of unequal length
        raise error(f"{what}: {reason}") from None

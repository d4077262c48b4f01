"""Validators of attrs classes whose messages are for people: where, the value seen, and what is allowed."""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from autodiff.conversion import as_count, as_number

__all__ = ["number", "one_of", "plain", "whole"]

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def one_of(*allowed: Any) -> Validator:
    """Return a validator that takes only some values, and says which.

    Examples
    --------
    >>> @attrs.frozen
    ... class Tree:
    ...     roots: str = attrs.field(validator=one_of("any", "one"))
    >>> Tree("two")
    Traceback (most recent call last):
    ValueError: Tree: roots is 'any' or 'one', not 'two'
    """

    def check(instance: Any, attribute: "attrs.Attribute[Any]", value: Any) -> None:
        if value not in allowed:
            *most, last = map(repr, allowed)
            listed = f"{', '.join(most)} or {last}" if most else last
            raise ValueError(f"{type(instance).__name__}: {attribute.name} is {listed}, not {value!r}")

    return check


def plain(value: Any) -> Any:
    """Return a number of NumPy as the Python number that it is, so that nothing is computed in float32: a converter.

    >>> plain(np.float32(0.5))
    0.5
    """
    return value.item() if isinstance(value, np.generic) else value


def whole(least: int = 0, *, error: type[Exception] = ValueError) -> Validator:
    """Return a validator that takes whole numbers from `least` on.

    Examples
    --------
    >>> @attrs.frozen
    ... class Steps:
    ...     count: int = attrs.field(converter=plain, validator=whole(1))
    >>> Steps(np.int64(3))
    Steps(count=3)
    >>> Steps(2.5)
    Traceback (most recent call last):
    ValueError: Steps: count is 2.5, but must be a whole number, 1 or above
    """

    def check(instance: Any, attribute: "attrs.Attribute[Any]", value: Any) -> None:
        as_count(value, f"{type(instance).__name__}: {attribute.name}", error, least=least)

    return check


def number(*, error: type[Exception] = ValueError, **ends: float) -> Validator:
    """Return a validator that takes finite numbers in a range, with ends as for `autodiff.conversion.as_number`.

    Examples
    --------
    >>> @attrs.frozen
    ... class Damped:
    ...     damping: float = attrs.field(validator=number(least=0, below=1))
    >>> Damped(1.5)
    Traceback (most recent call last):
    ValueError: Damped: damping is 1.5, but must be a finite number, 0 or above, below 1
    """

    def check(instance: Any, attribute: "attrs.Attribute[Any]", value: Any) -> None:
        as_number(value, f"{type(instance).__name__}: {attribute.name}", error, **ends)

    return check

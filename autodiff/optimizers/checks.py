"""Validators of settings, for attrs fields: each says where, the value seen and what is allowed."""

import math
from numbers import Real
from typing import Any

import numpy as np
from attrs import Attribute

from autodiff.optimizers.errors import OptimizerError


def _refuse(instance: Any, attribute: "Attribute[Any]", value: Any, allowed: str) -> None:
    raise OptimizerError(f"{type(instance).__name__}: {attribute.name} is {value!r}, but must be {allowed}")


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def plain(value: Any) -> Any:
    """Return a number of NumPy as the Python number that it is, so that nothing is computed in float32.

    >>> plain(np.float32(0.5))
    0.5
    """
    return value.item() if isinstance(value, np.generic) else value


def positive(instance: Any, attribute: "Attribute[Any]", value: Any) -> None:
    """Accept finite numbers above 0."""
    if not (_is_finite(value) and value > 0):
        _refuse(instance, attribute, value, "a finite number above 0")


def non_negative(instance: Any, attribute: "Attribute[Any]", value: Any) -> None:
    """Accept finite numbers from 0 on."""
    if not (_is_finite(value) and value >= 0):
        _refuse(instance, attribute, value, "a finite number, 0 or above")


def fraction(instance: Any, attribute: "Attribute[Any]", value: Any) -> None:
    """Accept 0 ≤ value < 1."""
    if not (_is_finite(value) and 0 <= value < 1):
        _refuse(instance, attribute, value, "at least 0 and below 1")


def count(instance: Any, attribute: "Attribute[Any]", value: Any) -> None:
    """Accept whole numbers from 1 on."""
    if not (isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1):
        _refuse(instance, attribute, value, "a whole number, 1 or above")

"""Functions of softplus(x) = log(1 + e^x) that keep their digits where it is tiny, huge or infinite."""

import numpy as np

from autodiff.array_types import Floats

__all__ = ["log_complement", "log_softplus", "log_softplus_slope", "sigmoid", "softplus"]


_TINY = -37.0  # below it log(1 + e^x) is e^x to the last bit


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + e^-x), with all its digits for any x.

    >>> sigmoid(np.array([-np.inf, 0.0, np.inf]))
    array([0. , 0.5, 1. ])
    """
    small = np.exp(-np.abs(values))
    return np.where(values >= 0.0, 1.0, small) / (1.0 + small)


def softplus(values: Floats) -> Floats:
    """Return log(1 + e^x)."""
    return np.logaddexp(0.0, values)


def log_softplus(values: Floats) -> Floats:
    """Return log log(1 + e^x), which is about x for low x: it does not underflow.

    >>> log_softplus(np.array([-1e4, -np.inf]))
    array([-10000.,    -inf])
    """
    return np.where(values < _TINY, values, np.log(softplus(np.maximum(values, _TINY))))


def log_softplus_slope(values: Floats) -> Floats:
    """Return the derivative of `log_softplus`, between 0 and 1."""
    above = np.maximum(values, _TINY)
    return sigmoid(above) / softplus(above)


def log_complement(amounts: Floats, log_amounts: Floats) -> Floats:
    """Return log(1 - e^-amount) for amounts in [0, inf], given also in logarithms, for those too small to be seen.

    >>> log_complement(np.array([0.0, 0.0, np.inf]), np.array([-np.inf, -1e4, np.inf]))
    array([   -inf, -10000.,     -0.])
    """
    small = amounts < 0.5
    little = np.where(small & (amounts > 0.0), amounts, 1.0)
    ratio = np.where(small & (amounts > 0.0), -np.expm1(-little) / little, 1.0)
    return np.where(small, log_amounts + np.log(ratio), np.log1p(-np.exp(-np.maximum(amounts, 0.5))))

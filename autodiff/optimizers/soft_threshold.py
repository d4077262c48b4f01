"""ℓ1 in the optimisers: the proximal step of λ₁ ‖w‖₁, and what many such steps come to (COMID, FOBOS).

A step with the rate η moves a weight without a gradient to

    |w| ← max(0, (|w| - η λ₁ / H) / (1 + η λ₂ / H))      AdaGrad, in its metric H
    |w| ← max(0, (1 - η λ₂) |w| - η λ₁)                  SGD and Adam

Both maps are linear and increasing below the maximum, and 0 stays 0; so n of them are one: the maximum with 0 of what
the linear maps come to.  With P the product of the factors of |w|, the sum of what is taken off telescopes,

    |w| ← max(0, P |w| - (λ₁ / λ₂) (1 - P)),    and    |w| ← max(0, |w| - λ₁ / H Σ η)    for λ₂ = 0.
"""

from typing import Any

import numpy as np

from autodiff.array_types import Floats

__all__ = ["shrink", "soft_threshold"]


def soft_threshold(values: Floats, amount: Any) -> Floats:
    """Return the values, each brought nearer to 0 by `amount`, but not beyond.

    >>> soft_threshold(np.array([3.0, -0.5, -2.0]), 1.0)
    array([ 2., -0., -1.])
    """
    return np.copysign(np.maximum(np.abs(values) - amount, 0.0), values)


def shrink(weights: Floats, log_factor: Floats, *, l1: float, l2: float, rates: Floats, metric: Any = 1.0) -> Floats:
    """Return weights after steps without a gradient.

    Parameters
    ----------
    weights : (rows, …)
    log_factor : log P, which broadcasts to the weights
    l1, l2 : λ₁ and λ₂
    rates : (rows,) Σ η of the steps; read only if λ₂ = 0
    metric : H, which broadcasts to the weights; read only if λ₂ = 0

    >>> steps = {"l1": 0.1, "l2": 0.0, "rates": np.array([2.0, 2.0])}
    >>> shrink(np.array([1.0, -0.1]), np.zeros(2), **steps).round(12)
    array([ 0.8, -0. ])
    """
    if l1 == 0.0:
        return np.asarray(weights * np.exp(log_factor))
    if l2 > 0.0:
        return soft_threshold(weights * np.exp(log_factor), -(l1 / l2) * np.expm1(log_factor))
    total = rates.reshape(-1, *[1] * (weights.ndim - 1))
    return soft_threshold(weights, l1 * total / metric)

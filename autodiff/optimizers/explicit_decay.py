"""Shrinkage of all rows by (1 - η λ) a step: ℓ2 in SGD, decoupled weight decay in Adam."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.optimizers.errors import DivergenceError
from autodiff.optimizers.rate_history import RateHistory


def log_explicit_decay(history: RateHistory, decay: float, since: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
    """Return Σ_{i ≥ since} log(1 - η_i λ) with one axis for each of the `dimensions` of the weights.

    >>> history = RateHistory()
    >>> history.append(0.5)
    >>> np.exp(log_explicit_decay(history, 0.1, np.array([0, 1]), 1))
    array([0.95, 1.  ])
    """
    return history.sum_log1p(np.full((len(since),) + (1,) * (dimensions - 1), -decay), since)


def check_explicit_decay(owner: str, setting: str, rate: float, decay: float) -> None:
    """Refuse a step that would take away more than half of every weight.

    >>> check_explicit_decay("SGD", "l2", 0.1, 1.0)
    """
    if rate * decay > 0.5:
        raise DivergenceError(
            f"{owner}: learning rate × {setting} is {rate:g} × {decay:g} = {rate * decay:g}, but must be "
            "at most 0.5, "
            "or a step takes away more than half of every weight: lower one of them"
        )

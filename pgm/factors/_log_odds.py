"""Messages of binary variables as log-odds, and back."""

import numpy as np

from autodiff.array_types import Floats

__all__ = ["log_odds", "log_odds_messages", "reference"]


def log_odds(pairs: Floats) -> Floats:
    """Return (F, D): the log-odds of messages (F, D, 2); 0 where both states are impossible."""
    false, true = pairs[..., 0], pairs[..., 1]
    with np.errstate(invalid="ignore"):
        return np.where((false == -np.inf) & (true == -np.inf), 0.0, true - false)


def log_odds_messages(y: Floats, pairs: Floats) -> Floats:
    """Return messages (F, D, 2) with log-odds y; all impossible in a factor that was sent an impossible message."""
    result = np.zeros((*y.shape, 2))
    certain = y == np.inf
    result[..., 1] = np.where(certain, 0.0, y)
    result[certain, 0] = -np.inf
    result[(pairs == -np.inf).all(axis=2).any(axis=1)] = -np.inf
    return result


def reference(pairs: Floats) -> Floats:
    """Return (F,): the log-weight of all literals false, but those true that cannot be false."""
    false = pairs[..., 0]
    return np.where(false == -np.inf, pairs[..., 1], false).sum(axis=1)

"""Random arrays for the examples on which modules are checked."""

import numpy as np

from autodiff.arrays import Array

__all__ = ["away_from_zero", "log_weights"]


def log_weights(rng: np.random.Generator, *shape: int, impossible: float = 0.3) -> Array:
    """Return normal draws of which a share is -inf.

    Examples
    --------
    >>> bool(np.isneginf(log_weights(np.random.default_rng(0), 50)).any())
    True
    """
    draws = rng.normal(size=shape)
    return np.where(rng.random(shape) < impossible, -np.inf, draws)


def away_from_zero(rng: np.random.Generator, *shape: int) -> Array:
    """Return draws of either sign with absolute values in [0.1, 2), for functions with a kink or a pole at 0.

    Examples
    --------
    >>> bool((np.abs(away_from_zero(np.random.default_rng(0), 50)) >= 0.1).all())
    True
    """
    return rng.uniform(0.1, 2.0, size=shape) * rng.choice([-1.0, 1.0], size=shape)

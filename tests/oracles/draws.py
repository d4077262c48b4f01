"""Random log-weights."""

import numpy as np

__all__ = ["random_weights"]


def random_weights(rng: np.random.Generator, size: int, *, impossible: float = 0.0, spread: float = 2.0) -> np.ndarray:
    """Return normal log-weights, of which a share is -inf."""
    weights = rng.normal(scale=spread, size=size)
    weights[rng.random(size) < impossible] = -np.inf
    return weights

"""First-order expectation semiring (Eisner 2002; Li & Eisner 2009, Table 1): pairs ⟨p, r⟩.

    ⟨p₁, r₁⟩ ⊕ ⟨p₂, r₂⟩ = ⟨p₁ + p₂, r₁ + r₂⟩
    ⟨p₁, r₁⟩ ⊗ ⟨p₂, r₂⟩ = ⟨p₁ p₂, p₁ r₂ + p₂ r₁⟩

A value is an array (1 + features,): p, then r.
"""

from typing import Any

import numpy as np

from hypergraph.arrays import as_kernel_floats
from hypergraph.errors import WeightError
from hypergraph.semirings.base import Array, Semiring

__all__ = ["Expectation"]


def as_rows(features: Any, what: str) -> Array:
    """Return features (weights, …) as (weights, features)."""
    array = as_kernel_floats(features, what)
    if not array.ndim:
        raise WeightError(f"{what} have a row for each weight, but this is a single number")
    return array.reshape(len(array), int(np.prod(array.shape[1:])))


def check_rows(log_weights: Any, features: Array) -> Array:
    """Return log-weights (weights,), of which there are as many as rows of features."""
    array = as_kernel_floats(log_weights, "weights")
    if array.shape != (len(features),):
        raise WeightError(f"features are those of {len(features)} weights, but the weights have shape {array.shape}")
    return array


class Expectation(Semiring):
    """Sums of weight × features, where the features of a derivation are the sum of those of its weights.

    With the root's value ⟨p, r⟩, r / p is the expected feature vector.

    Parameters
    ----------
    features : (weights, features) or (weights,), what each weight contributes when it is used

    Examples
    --------
    >>> from hypergraph import HypergraphBuilder, total
    >>> builder = HypergraphBuilder()
    >>> builder.edge("goal", weight="short")
    >>> builder.edge("goal", weight="long")
    >>> p, r = total(builder.build("goal"), np.log([0.75, 0.25]), Expectation([1.0, 9.0]))
    >>> float(r / p)
    3.0
    """

    def __init__(self, features: Array) -> None:
        self.features = as_rows(features, "features")
        size = 1 + self.features.shape[1]
        self.shape = (size,)
        self.zero = np.zeros(size)
        self.one = np.eye(size)[0]

    def plus(self, left: Array, right: Array) -> Array:
        """Return the sum of the pairs."""
        return np.add(left, right)

    def times(self, left: Array, right: Array) -> Array:
        """Return the product rule."""
        left, right = np.broadcast_arrays(left, right)
        product = left[..., :1] * right + right[..., :1] * left
        product[..., 0] = left[..., 0] * right[..., 0]
        return product

    def lift(self, log_weights: Array) -> Array:
        """Return ⟨p, p · features⟩ with p = exp(log-weight)."""
        weights = np.exp(check_rows(log_weights, self.features))[:, None]
        return np.concatenate([weights, weights * self.features], axis=1)

    def examples(self, rng: np.random.Generator, count: int) -> Array:
        """Return pairs with positive p."""
        values = rng.normal(size=(count, *self.shape))
        values[:, 0] = np.exp(values[:, 0])
        return values

"""Second-order expectation semiring (Li & Eisner 2009, Table 2): quadruples ⟨p, r, s, t⟩.

    ⟨p₁, r₁, s₁, t₁⟩ ⊗ ⟨p₂, r₂, s₂, t₂⟩
        = ⟨p₁p₂, p₁r₂ + p₂r₁, p₁s₂ + p₂s₁, p₁t₂ + p₂t₁ + r₁s₂ᵀ + r₂s₁ᵀ⟩

A value is an array (1 + R, 1 + S): p in the corner, r down the first column, s along the first row, t in the rest.  In
that layout the product is a product rule for bilinear forms, and everything else stays as it is for first order.
"""

import numpy as np

from hypergraph.semirings.base import Array, Semiring
from hypergraph.semirings.expectation import as_rows, check_rows

__all__ = ["SecondOrderExpectation"]


class SecondOrderExpectation(Semiring):
    """Sums of weight × features × other features: second moments, covariances, gradients of expectations.

    With the root's value ⟨p, r, s, t⟩, t / p - (r / p)(s / p)ᵀ is the covariance of the two feature vectors.

    Parameters
    ----------
    features : (weights, R) or (weights,)
    others : (weights, S) or (weights,)

    Examples
    --------
    >>> from hypergraph import HypergraphBuilder, total
    >>> builder = HypergraphBuilder()
    >>> builder.edge("goal", weight="short")
    >>> builder.edge("goal", weight="long")
    >>> semiring = SecondOrderExpectation([1.0, 3.0], [1.0, 3.0])
    >>> (p, s), (r, t) = total(builder.build("goal"), np.log([0.5, 0.5]), semiring)
    >>> float(t / p - (r / p) * (s / p))  # the variance of 1 or 3
    1.0
    """

    def __init__(self, features: Array, others: Array) -> None:
        self.features, self.others = as_rows(features, "features"), as_rows(others, "others")
        self.shape = (1 + self.features.shape[1], 1 + self.others.shape[1])
        self.zero = np.zeros(self.shape)
        self.one = np.zeros(self.shape)
        self.one[0, 0] = 1.0

    def plus(self, left: Array, right: Array) -> Array:
        """Return the sum of the quadruples."""
        return np.add(left, right)

    def times(self, left: Array, right: Array) -> Array:
        """Return the product rule."""
        left, right = np.broadcast_arrays(left, right)
        p_left, p_right = left[..., :1, :1], right[..., :1, :1]
        product = p_left * right + p_right * left
        product[..., 0, 0] = left[..., 0, 0] * right[..., 0, 0]
        product[..., 1:, 1:] += left[..., 1:, :1] * right[..., :1, 1:] + right[..., 1:, :1] * left[..., :1, 1:]
        return product

    def lift(self, log_weights: Array) -> Array:
        """Return p ⟨1, r, s, r sᵀ⟩ with p = exp(log-weight)."""
        log_weights = check_rows(check_rows(log_weights, self.features), self.others)
        ones = np.ones((len(log_weights), 1))
        rows = np.concatenate([ones, self.features], axis=1)
        columns = np.concatenate([ones, self.others], axis=1)
        return np.exp(log_weights)[:, None, None] * rows[:, :, None] * columns[:, None, :]

    def examples(self, rng: np.random.Generator, count: int) -> Array:
        """Return quadruples with positive p."""
        values = rng.normal(size=(count, *self.shape))
        values[:, 0, 0] = np.exp(values[:, 0, 0])
        return values

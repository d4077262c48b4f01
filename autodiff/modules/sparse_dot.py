"""Scores from sparse (hashed) features."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, as_indices, as_integers
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.sparse import SparseAdjoint

__all__ = ["SparseDot"]


class SparseDot(Module):
    """Dot products of sparse feature vectors with one dense weight vector.

    The features of row `r` are `indices[offsets[r]:offsets[r + 1]]` (compressed sparse rows), each with value
    1 or, if given, `values`: `scores[r] = Σ values[i] * weights[indices[i]]`.  A row without features scores
    0.  An index may occur several times in a row (hash collisions); its values add.

    Shapes: weights (size,), indices (features,), offsets (rows + 1,), values (features,) → scores (rows,).
    The adjoint of the weights is sparse: it costs what the features present cost, not what the weights cost.

    Examples
    --------
    >>> output, backward = SparseDot().forward([1.0, 2.0, 4.0], [0, 2, 1], [0, 2, 2, 3])
    >>> output
    array([5., 0., 2.])
    >>> backward(np.array([1.0, 1.0, 3.0]))[0].dense()
    array([1., 3., 1.])
    """

    def forward(
        self, weights: ArrayLike, indices: ArrayLike, offsets: ArrayLike, values: ArrayLike | None = None
    ) -> tuple[Array, Backward]:
        """Return the scores."""
        table = as_floats(weights, "SparseDot: weights")
        if table.ndim != 1:
            raise DomainError(f"SparseDot: weights have shape {table.shape}; they must be a vector")
        features = as_indices(indices, len(table), "SparseDot")
        bounds = as_integers(offsets, "SparseDot: offsets")
        if features.ndim != 1 or bounds.ndim != 1:
            raise DomainError(f"SparseDot: indices {features.shape} and offsets {bounds.shape} must be vectors")
        counts = np.diff(bounds)
        if not bounds.size or bounds[0] != 0 or bounds[-1] != features.size or (counts < 0).any():
            raise DomainError(f"SparseDot: offsets must rise from 0 to the number of features, {features.size}")
        amounts = None if values is None else as_floats(values)
        if amounts is not None and amounts.shape != features.shape:
            raise DomainError(f"SparseDot: values {amounts.shape} must have the shape {features.shape} of indices")
        rows = np.repeat(np.arange(len(counts)), counts)
        chosen = table[features]
        terms = chosen if amounts is None else chosen * amounts
        # Unlike np.add.reduceat, bincount gives an empty row 0; without any features it counts in integers.
        scores = np.bincount(rows, weights=terms, minlength=len(counts)).astype(np.float64, copy=False)

        def backward(adjoint: Array) -> tuple[SparseAdjoint | Array | None, ...]:
            """Return the adjoints of the weights (sparse) and of the values; None for indices and offsets."""
            of_terms = as_floats(adjoint)[rows]
            if amounts is None:
                return SparseAdjoint(features, of_terms, table.shape), None, None
            return SparseAdjoint(features, of_terms * amounts, table.shape), None, None, of_terms * chosen

        return scores, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield rows with and without features, with and without values, and no features at all."""
        weights, indices = rng.normal(size=6), rng.integers(6, size=7)
        offsets = np.array([0, 0, 3, 3, 7, 7])
        yield cls(), (weights, indices, offsets)
        yield cls(), (weights, indices, offsets, rng.normal(size=7))
        yield cls(), (weights, np.zeros(0, dtype=np.int64), np.zeros(4, dtype=np.int64))

"""The features of one sentence: extract them, score parts with them, take gradients back to them."""

from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats, as_integers
from autodiff.optimizers.gradient_buffer import GradientBuffer, check_adjoint
from nlp.features import kernels
from nlp.features.encoded import EncodedSentence
from nlp.features.errors import FeatureError
from nlp.features.layout import WordTables

if TYPE_CHECKING:
    from nlp.features.blocks import Block
    from nlp.features.hasher import FeatureHasher

__all__ = ["SentenceFeatures"]

Positions = list[NDArray[np.int64]]


@frozen(eq=False)
class SentenceFeatures:
    """What a `FeatureHasher` makes of a sentence.

    Parts are given as one array of positions for each role: heads and modifiers; grandparents, heads and modifiers; or
    heads, modifiers and siblings.  Position 0 is the root.
    """

    hasher: "FeatureHasher"
    sentence: EncodedSentence
    _tables: list[tuple["Block", WordTables, int]]  # with the most features that a part can have

    def extract(self, *parts: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the indices of all features, and offsets: part p has indices[offsets[p] : offsets[p + 1]]."""
        positions = self._positions(parts)
        counts = np.zeros(len(positions[0]), dtype=np.int64)
        for block, tables, _ in self._tables:
            kernels.parts.count(block.tables, tables, *_of_block(block, positions), counts)
        offsets = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=offsets[1:])
        indices = np.empty(offsets[-1], dtype=np.uint32)
        cursor = offsets[:-1].copy()
        for block, tables, _ in self._tables:
            kernels.parts.extract(block.tables, tables, *_of_block(block, positions), cursor, indices)
        return indices.view(np.int32), offsets

    def score(self, weights: NDArray[np.floating], *parts: ArrayLike) -> NDArray[np.float64]:
        """Return for each part the sum of the weights of its features.

        Parameters
        ----------
        weights : (slots,) float64, or float32 (faster where memory is the limit)
        """
        positions = self._positions(parts)
        if not isinstance(weights, np.ndarray) or weights.dtype not in (np.float64, np.float32):
            weights = as_floats(weights, "weights", FeatureError)
        weights = np.ascontiguousarray(weights)
        if weights.shape != (self.hasher.slots,):
            raise FeatureError(f"weights of shape {weights.shape}; expected ({self.hasher.slots},), 2^bits of them")
        scores = np.zeros(len(positions[0]))
        for block, tables, most in self._tables:
            own, shared = self._distinct(block, positions)
            found = kernels.parts.score(block.tables, tables, *own, most, weights)
            scores += found if shared is None else found[shared]
        return scores

    def accumulate(self, adjoint: ArrayLike, buffer: GradientBuffer, *parts: ArrayLike, smallest: float = 0.0) -> None:
        """Add to `buffer` the gradient in the weights, given the adjoint of the scores.

        Parameters
        ----------
        adjoint : (parts,)
        smallest : adjoints (of a part, or the sum for parts that share a pair of words) up to this size are passed over
        """
        positions = self._positions(parts)
        numbers = np.ascontiguousarray(as_floats(adjoint, "adjoint", FeatureError))
        if not isinstance(smallest, Real) or np.isnan(smallest):
            raise FeatureError(f"smallest is {smallest!r}, but must be a number")
        if numbers.shape != positions[0].shape:
            raise FeatureError(
                f"an adjoint of shape {numbers.shape} for {len(positions[0])} parts; expected one a part"
            )
        if len(buffer) != self.hasher.slots:
            raise FeatureError(f"a buffer of {len(buffer)} slots; expected {self.hasher.slots}")
        check_adjoint(numbers, FeatureError)
        for block, tables, most in self._tables:
            own, shared = self._distinct(block, positions)
            share = numbers if shared is None else np.bincount(shared, weights=numbers, minlength=len(own[0]))
            kept = kernels.positions.above(share, float(smallest), *own)
            buffer.reserve(len(kept[0]) * most)
            buffer.used = kernels.parts.accumulate(
                block.tables, tables, *kept[1:], most, kept[0], buffer.memory, buffer.touched, buffer.used
            )  # fmt: skip

    def _distinct(self, block: "Block", positions: Positions) -> tuple[Positions, NDArray[np.int64] | None]:
        """Return the parts of a block: all, or those that differ in its two words and for each part which it has."""
        own = _of_block(block, positions)
        if len(block.roles) == len(positions):
            return own, None
        first, second, shared = kernels.positions.distinct_pairs(own[0], own[1], len(self.sentence) + 1)
        return [first, second, first], shared

    def _positions(self, parts: tuple[ArrayLike, ...]) -> Positions:
        roles = self.hasher.roles
        if len(parts) != len(roles):
            raise FeatureError(f"{len(parts)} arrays of positions; expected {len(roles)}: of {', '.join(roles)}")
        named = zip(roles, parts, strict=True)
        given = [as_integers(part, f"positions of {role}", FeatureError) for role, part in named]
        positions = [np.ascontiguousarray(array) for array in given]
        n = len(self.sentence)
        for role, array in zip(roles, positions, strict=True):
            if array.ndim != 1 or array.shape != positions[0].shape:
                raise FeatureError(f"positions of {role} have shape {array.shape}; expected {positions[0].shape}")
            if kernels.positions.outside(array, n) >= 0:
                raise FeatureError(f"positions of {role} go from {array.min()} to {array.max()}; expected 0 to {n}")
        return positions


def _of_block(block: "Block", positions: Positions) -> Positions:
    """Return the positions of the three roles of a block (the third is not read if there are but two)."""
    chosen = [positions[role] for role in block.roles]
    return chosen if len(chosen) == 3 else [*chosen, chosen[0]]

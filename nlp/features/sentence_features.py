"""The features of one sentence: extract them, score parts with them, take gradients back to them."""

from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.optimizers.gradient_buffer import GradientBuffer
from nlp.features import kernels
from nlp.features.arguments import as_adjoint, as_positions, as_weights, check_buffer
from nlp.features.encoded import EncodedSentence
from nlp.features.prepared import Positions, PreparedBlock, of_block

if TYPE_CHECKING:
    from nlp.features.blocks import TemplateBlock
    from nlp.features.hasher import FeatureHasher

__all__ = ["SentenceFeatures"]


@frozen(eq=False)
class SentenceFeatures:
    """What a `FeatureHasher` makes of a sentence.

    Parts are given as one array of positions for each role, in the order of the templates; position 0 is the root.
    """

    hasher: "FeatureHasher"
    sentence: EncodedSentence
    _tables: list[PreparedBlock]

    def extract(self, *parts: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the indices of all features, and offsets: part p has indices[offsets[p] : offsets[p + 1]]."""
        positions = self._positions(parts)
        counts = np.zeros(len(positions[0]), dtype=np.int64)
        for block, tables, _ in self._tables:
            kernels.parts.count(block.tables, tables, *of_block(block, positions), counts)
        offsets = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=offsets[1:])
        indices = np.empty(offsets[-1], dtype=np.uint32)
        cursor = offsets[:-1].copy()
        for block, tables, _ in self._tables:
            kernels.parts.extract(block.tables, tables, *of_block(block, positions), cursor, indices)
        return indices.view(np.int32), offsets

    def score(self, weights: NDArray[np.floating], *parts: ArrayLike) -> NDArray[np.float64]:
        """Return for each part the sum of the weights of its features.

        Parameters
        ----------
        weights : (slots,) float64, or float32 (faster where memory is the limit)
        """
        positions = self._positions(parts)
        weights = as_weights(weights, self.hasher.slots)
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
        numbers = as_adjoint(adjoint, len(positions[0]), "part")
        check_buffer(buffer, self.hasher.slots, smallest)
        for block, tables, most in self._tables:
            own, shared = self._distinct(block, positions)
            share = numbers if shared is None else np.bincount(shared, weights=numbers, minlength=len(own[0]))
            kept = kernels.positions.above(share, float(smallest), *own)
            buffer.reserve(len(kept[0]) * most)
            buffer.used = kernels.parts.accumulate(
                block.tables, tables, *kept[1:], most, kept[0], buffer.memory, buffer.touched, buffer.used
            )  # fmt: skip

    def _distinct(self, block: "TemplateBlock", positions: Positions) -> tuple[Positions, NDArray[np.int64] | None]:
        """Return the parts of a block: all, or those that differ in its two words and for each part which it has."""
        own = of_block(block, positions)
        if len(block.roles) == len(positions):
            return own, None
        first, second, shared = kernels.positions.distinct_pairs(own[0], own[1], len(self.sentence) + 1)
        return [first, second, first], shared

    def _positions(self, parts: tuple[ArrayLike, ...]) -> Positions:
        return as_positions(parts, self.hasher.roles, len(self.sentence))

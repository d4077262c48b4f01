"""The features of one sentence's parts with labels: extract them, score with them, take gradients back to them."""

from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Integers
from autodiff.conversion import as_integers
from autodiff.optimizers.gradient_buffer import GradientBuffer
from nlp.features import kernels
from nlp.features.arguments import as_adjoint, as_positions, as_weights, check_buffer
from nlp.features.encoded import EncodedSentence
from nlp.features.errors import FeatureError
from nlp.features.layout import LINE_BITS
from nlp.features.prepared import Positions, PreparedBlock, of_block

if TYPE_CHECKING:
    from nlp.features.label_hasher import LabelHasher

__all__ = ["LabelFeatures"]


@frozen(eq=False)
class LabelFeatures:
    """What a `LabelHasher` makes of a sentence.

    Parts are given as one array of positions for each role, in the order of the templates; position 0 is the root.
    Part p may have the labels labels[starts[p] : starts[p + 1]]; scores and adjoints are parallel to `labels` (total,).
    """

    hasher: "LabelHasher"
    sentence: EncodedSentence
    _tables: list[PreparedBlock]

    def extract(
        self, starts: ArrayLike, labels: ArrayLike, *parts: ArrayLike
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the indices of all features, and offsets: labels[i] has indices[offsets[i] : offsets[i + 1]]."""
        starts, labels, positions = self._checked(starts, labels, parts)
        features = np.zeros(len(starts) - 1, dtype=np.int64)
        for block, tables, _ in self._tables:
            kernels.parts.count(block.tables, tables, *of_block(block, positions), features)
        offsets = np.zeros(len(labels) + 1, dtype=np.int64)
        np.cumsum(np.repeat(features, np.diff(starts)), out=offsets[1:])
        indices, cursors = np.empty(offsets[-1], dtype=np.uint32), offsets[:-1].copy()
        for block, tables, most in self._tables:
            own = of_block(block, positions)
            kernels.labels.extract(block.tables, tables, *own, most, starts, labels, self._shift, cursors, indices)
        return indices.view(np.int32), offsets

    def score(
        self, weights: NDArray[np.floating], starts: ArrayLike, labels: ArrayLike, *parts: ArrayLike
    ) -> NDArray[np.float64]:
        """Return for each label of each part the sum of the weights of its features.

        Parameters
        ----------
        weights : (slots,) float64, or float32 (faster where memory is the limit)
        """
        starts, labels, positions = self._checked(starts, labels, parts)
        weights = as_weights(weights, self.hasher.slots)
        scores = np.zeros(len(labels))
        for block, tables, most in self._tables:
            own, many = of_block(block, positions), self.hasher.labels
            kernels.labels.score(
                block.tables, tables, *own, most, starts, labels, many, self._shift, weights, scores
            )  # fmt: skip
        return scores

    def accumulate(
        self,
        adjoint: ArrayLike,
        buffer: GradientBuffer,
        starts: ArrayLike,
        labels: ArrayLike,
        *parts: ArrayLike,
        smallest: float = 0.0,
    ) -> None:
        """Add to `buffer` the gradient in the weights, given the adjoint of the scores.

        Parameters
        ----------
        adjoint : (total,)
        smallest : adjoints up to this size are passed over
        """
        starts, labels, positions = self._checked(starts, labels, parts)
        numbers = as_adjoint(adjoint, len(labels), "label")
        check_buffer(buffer, self.hasher.slots, smallest)
        for block, tables, most in self._tables:
            kept = kernels.labels.above(numbers, float(smallest), starts, labels, *of_block(block, positions))
            buffer.reserve(len(kept[0]) * most)
            buffer.used = kernels.labels.accumulate(
                block.tables, tables, *kept[3:], most, *kept[:3],
                self._shift, buffer.memory, buffer.touched, buffer.used,
            )  # fmt: skip

    @property
    def _shift(self) -> np.uint64:
        """64 less the bits of the number of a line."""
        return np.uint64(64 - self.hasher.bits + LINE_BITS)

    def _checked(
        self, starts: ArrayLike, labels: ArrayLike, parts: tuple[ArrayLike, ...]
    ) -> tuple[Integers, Integers, Positions]:
        positions = as_positions(parts, self.hasher.roles, len(self.sentence))
        begins = np.ascontiguousarray(as_integers(starts, "starts", FeatureError))
        numbers = np.ascontiguousarray(as_integers(labels, "labels", FeatureError))
        count = len(positions[0])
        if begins.shape != (count + 1,) or numbers.ndim != 1:
            raise FeatureError(
                f"starts of shape {begins.shape} and labels of shape {numbers.shape} for {count} parts; "
                f"expected ({count + 1},) and a vector"
            )
        if kernels.positions.outside(numbers, self.hasher.labels - 1) >= 0:
            many = self.hasher.labels
            raise FeatureError(f"labels go from {numbers.min()} to {numbers.max()}; expected 0 to {many - 1}")
        if not kernels.words.are_runs(begins, numbers):
            raise FeatureError(f"starts of labels are {begins}; they must rise from 0 to {len(numbers)}")
        return begins, numbers, positions

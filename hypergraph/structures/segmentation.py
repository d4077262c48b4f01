"""Labelled segmentations, scored by segments: semi-Markov chains (Sarawagi & Cohen 2004).

Sums over the ways to cut positions 0 … T - 1 into segments of at most M positions and to label each; a segmentation
weighs Π_{segments} s(start, length, label) · Π_{adjacent segments} w(label before, label after).

Legend: T `length`, L `labels`, M `max_segment`, i and j boundaries 0 … T.  Nodes of the hypergraph:
- ("closed", j, l): segments that cover all before j, the last of them labelled l;
- ("open", i, l): the same for i, and the transition to a segment labelled l that begins there.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats, as_integers
from hypergraph.builder import HypergraphBuilder
from hypergraph.errors import WeightError
from hypergraph.graph import Hypergraph
from hypergraph.structure import Structure, as_size

if TYPE_CHECKING:
    from hypergraph.derivation import Derivation

__all__ = ["Segmentation", "SegmentationParts"]


class SegmentationParts(NamedTuple):
    """The parts of a vector of weights or marginals of a `Segmentation`."""

    segments: NDArray[np.float64]
    """(T, M, L), at [start, length - 1, label]"""
    transitions: NDArray[np.float64]
    """(L, L), at [before, after], shared by all positions"""


@frozen
class Segmentation(Structure):
    """Labelled segmentations of `length` positions.  Weights: a vector, [segments (T, M, L), transitions (L, L)].

    Examples
    --------
    >>> from hypergraph import count, viterbi
    >>> cuts = Segmentation(length=4, labels=2, max_segment=3)
    >>> segments = np.zeros((4, 3, 2))
    >>> segments[1, 2, 1] = 5.0  # positions 1 … 3 like the label 1
    >>> weights = cuts.weights(segments, np.array([[-1.0, 0.0], [0.0, -1.0]]))
    >>> cuts.decode(viterbi(cuts, weights))
    [(0, 1, 0), (1, 4, 1)]
    """

    length: int = field(converter=as_size, validator=ge(1))
    labels: int = field(converter=as_size, validator=ge(1))
    max_segment: int = field(converter=as_size, validator=ge(1))

    @classmethod
    def examples(cls) -> "list[Segmentation]":
        """Return short ones, among them segments as long as all, and longer."""
        sizes = ((1, 2, 1), (2, 2, 3), (3, 2, 2), (4, 1, 4), (4, 2, 1), (4, 2, 3), (3, 3, 3))
        return [cls(*size) for size in sizes]

    @property
    def shapes(self) -> tuple[tuple[int, int, int], tuple[int, int]]:
        """The shapes of the two parts."""
        return (self.length, self.max_segment, self.labels), (self.labels, self.labels)

    @property
    def num_weights(self) -> int:
        """The length of the vector of weights."""
        return (self.length * self.max_segment + self.labels) * self.labels

    def weights(self, segments: ArrayLike, transitions: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the vector of log-weights.

        Parameters
        ----------
        segments : (T, M, L), at [start, length - 1, label]; what reaches beyond the end becomes -inf
        transitions : (L, L), at [before, after], by default 0
        """
        flat = []
        for name, values, shape in zip(("segments", "transitions"), (segments, transitions), self.shapes, strict=True):
            array = np.zeros(shape) if values is None else np.array(as_floats(values, name, WeightError))
            if array.shape != shape:
                raise WeightError(f"{name} of {self!r} have shape {shape}, not {array.shape}")
            flat.append(array)
        start, shorter, _ = np.ogrid[: self.length, : self.max_segment, :1]
        flat[0][np.broadcast_to(start + shorter >= self.length, flat[0].shape)] = -np.inf
        return self.check_weights(np.concatenate([array.ravel() for array in flat]))

    def parts(self, vector: ArrayLike) -> SegmentationParts:
        """Return the parts of a vector of weights or marginals, as views of it."""
        flat = as_floats(vector, "vector", WeightError)
        if flat.shape != (self.num_weights,):
            raise WeightError(f"the vector of {self!r} has shape {(self.num_weights,)}, not {flat.shape}")
        segments, transitions = np.split(flat, [-(self.labels**2)])
        return SegmentationParts(segments.reshape(self.shapes[0]), transitions.reshape(self.shapes[1]))

    @property
    def shared(self) -> NDArray[np.bool_]:
        """(weights,): the transitions."""
        return np.arange(self.num_weights) >= self.num_weights - self.labels**2

    def weight_name(self, index: int) -> str:
        """Return "segment i … j labelled l" or "transition k → l"."""
        past = index - self.length * self.max_segment * self.labels
        if past >= 0:
            return "transition {} → {}".format(*divmod(past, self.labels))
        start, shorter, label = np.unravel_index(index, self.shapes[0])
        return f"segment {start} … {start + shorter} labelled {label}"

    @property
    def graph(self) -> Hypergraph:
        """The lattice, of O(T L) nodes and O(T L (L + M)) edges; built once for each size."""
        return _build(self)

    def decode(self, derivation: "Derivation") -> list[tuple[int, int, int]]:
        """Return the segments (start, end, label) from left to right; `end` is the position after the last."""
        used = derivation.weights
        used = np.sort(used[used < self.num_weights - self.labels**2])
        starts, shorter, labels = (axis.tolist() for axis in np.unravel_index(used, self.shapes[0]))
        return [(i, i + less + 1, label) for i, less, label in zip(starts, shorter, labels, strict=True)]

    def weights_of(self, decoded: ArrayLike) -> NDArray[np.int64]:
        """Return the indices of the weights that segments (start, end, label) use: their own, then transitions.

        >>> Segmentation(length=3, labels=2, max_segment=2).weights_of([(0, 2, 0), (2, 3, 1)])
        array([ 2,  9, 13])
        """
        segments = as_integers(decoded, "segments", WeightError)
        if segments.ndim != 2 or segments.shape[1] != 3 or not len(segments):
            raise WeightError(f"{self!r}: segments are rows (start, end, label), not {decoded!r}")
        starts, ends, labels = segments.T
        lengths = ends - starts
        whole = (starts == np.concatenate([[0], ends[:-1]])).all() and ends[-1] == self.length
        if not (
            whole
            and ((lengths >= 1) & (lengths <= self.max_segment)).all()
            and ((labels >= 0) & (labels < self.labels)).all()
        ):
            raise WeightError(f"{self!r}: segments follow each other from 0 to the end, with labels; not {decoded!r}")
        own = np.ravel_multi_index((starts, lengths - 1, labels), self.shapes[0])
        return np.concatenate([own, np.prod(self.shapes[0]) + labels[:-1] * self.labels + labels[1:]])


@lru_cache(maxsize=64)
def _build(cuts: Segmentation) -> Hypergraph:
    labels = range(cuts.labels)
    builder = HypergraphBuilder(num_weights=cuts.num_weights)
    segment, transition = (part.astype(int).tolist() for part in cuts.parts(np.arange(cuts.num_weights)))
    for j in range(1, cuts.length + 1):
        for label in labels:
            for i in range(max(0, j - cuts.max_segment), j):
                before = [("open", i, label)] if i else []
                builder.edge(("closed", j, label), before, weight=segment[i][j - i - 1][label])
        for label in labels if j < cuts.length else ():
            for last in labels:
                builder.edge(("open", j, label), [("closed", j, last)], weight=transition[last][label])
    for label in labels:
        builder.edge("end", [("closed", cuts.length, label)])
    return builder.build(root="end")

"""Labelled segmentations: where segments begin, and what they are (semi-Markov)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from hypergraph import structures
from hypergraph.structures.segmentation import SegmentationParts
from pgm.errors import PotentialError
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.variables import as_index

__all__ = ["SegmentationFactor"]


class SegmentationFactor(HypergraphFactor):
    """Positions 0 … T - 1 are cut into labelled segments; log ψ sums the scores of segments and of adjacent labels.

    The variable of a position is 0 where a segment goes on, and l = 1 … L where one with the l-th label begins.  So
    with one label the variables are boundaries.  Messages take O(T L (L + M)), and as much again for each position
    where a segment almost surely begins.

    Parameters
    ----------
    starts : the T variables, with L + 1 states; (factors, T) for a family
    segments : (T, M, L) at [start, length - 1, label - 1], segments of at most M positions; what reaches beyond the end
        is ignored.  Or (factors, T, M, L)
    transitions : (L, L) at [label before - 1, label after - 1], or (factors, L, L); by default 0

    The potentials are one vector for each factor, [segments, transitions], which `parts` takes apart.

    References
    ----------
    Sarawagi & Cohen (2004).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> starts = FactorGraph().variables("start", 3)
    >>> cuts = SegmentationFactor(starts, np.zeros((3, 2, 1)))
    >>> np.exp(cuts.run(np.zeros((1, 6)), cuts.prepare(cuts.potentials)).log_partition).round(9)
    array([3.])
    """

    def __init__(
        self, starts: Any, segments: ArrayLike, transitions: ArrayLike | None = None, *, name: str | None = None
    ) -> None:
        factors, length = as_index(starts).shape
        *_, longest, labels = np.shape(segments)
        structure = structures.Segmentation(length, labels, longest)
        by_segment, by_pair = structure.shapes
        tables = np.broadcast_to(as_floats(segments, "segments", PotentialError), (factors, *by_segment))
        pairs = np.broadcast_to(np.asarray(0.0 if transitions is None else transitions), (factors, *by_pair))
        potentials = np.stack([structure.weights(*both) for both in zip(tables, pairs, strict=True)])
        uses = np.full((structure.num_weights, 2), -1)
        where = structure.parts(np.arange(structure.num_weights)).segments.astype(np.int64)
        start, _, label = np.indices(where.shape)
        uses[where.ravel()] = np.stack([start.ravel(), label.ravel() + 1], axis=1)
        super().__init__(
            starts, structure, uses, default=0, log_potentials=potentials,
            cardinalities=(labels + 1,) * length, check=False, name=name,
        )  # fmt: skip

    def parts(self, vector: ArrayLike) -> SegmentationParts:
        """Return the segments and transitions of one factor's potentials, beliefs or gradients."""
        assert isinstance(self.structure, structures.Segmentation)
        return self.structure.parts(vector)

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the sum of the scores of the segments and of adjacent labels."""
        assert self.log_potentials is not None
        total = np.zeros(self.num_factors)
        for row, states in enumerate(self.states_of(assignment)):
            segments, transitions = self.parts(self.log_potentials[row])
            begins = np.flatnonzero(states)
            ends = [*begins[1:], self.degree]
            if len(begins) == 0 or begins[0] != 0 or max(ends - begins) > segments.shape[1]:
                total[row] = -np.inf
                continue
            labels = states[begins] - 1
            total[row] = segments[begins, ends - begins - 1, labels].sum() + transitions[labels[:-1], labels[1:]].sum()
        return total

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["SegmentationFactor"]:
        """Yield short ones, with one label and with two, and segments as long as all."""
        for length, longest, labels in ((1, 1, 2), (3, 2, 1), (4, 4, 1), (3, 3, 2), (4, 2, 2)):
            variables = np.arange(2 * length).reshape(2, length)
            segments = rng.normal(size=(2, length, longest, labels))
            yield cls(variables, segments)
            transitions = rng.normal(size=(labels, labels))
            if labels > 1:
                transitions[0, 1] = -np.inf
            yield cls(variables, segments, transitions)

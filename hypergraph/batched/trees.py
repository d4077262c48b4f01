"""Projective dependency trees, first order, for a padded batch of sentences."""

from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from hypergraph import kernels
from hypergraph.batched.arcs import check_arcs, refuse_impossible
from hypergraph.batched.chart import check_adjoints, direction, scale_rows
from hypergraph.roots import Roots, has_one_root

__all__ = ["TreeChart", "best_trees"]


@frozen(eq=False)
class TreeChart:
    """Inside-outside for first-order projective trees: in the real domain, and in the log domain where that is unsafe.

    Examples
    --------
    >>> chart = TreeChart.run(np.zeros((2, 4, 4)), lengths=[3, 2])
    >>> np.exp(chart.log_partitions).round(9)
    array([12.,  3.])
    >>> (marginals,) = chart.marginals
    >>> marginals[1].sum(axis=0).round(9)  # every word of the second sentence has one head
    array([0., 1., 1., 0.])
    """

    scores: Floats = field(repr=False)
    lengths: NDArray[np.int64] = field()
    first: int = field()
    log_partitions: Floats = field()
    _real: Floats = field(repr=False)
    _log: Floats = field(repr=False)
    _unsafe: NDArray[np.int64] = field(repr=False)

    @classmethod
    def run(cls, scores: ArrayLike, lengths: ArrayLike | None = None, *, roots: Roots = "any") -> "TreeChart":
        """Run the inside pass.

        Parameters
        ----------
        scores : (batch, N, N) log-weights of arcs h → m at [:, h, m], padded beyond each sentence
        lengths : (batch,) numbers of words, each below N; by default N - 1
        roots : "any" number of words may depend on the root, or exactly "one"

        Raises
        ------
        ImpossibleError
            If a sentence has no tree of weight above zero; the message says which.
        """
        scores, lengths = check_arcs(scores, lengths)
        first = int(has_one_root(roots))
        real = np.zeros((len(scores), kernels.eisner_real.NUM_CHARTS, *scores.shape[1:]))
        log_partitions = np.empty(len(scores))
        kernels.eisner_real.inside(scores, lengths, first, real, log_partitions)
        unsafe = np.flatnonzero(np.isnan(log_partitions))
        log = np.empty((len(unsafe), kernels.eisner_log.NUM_CHARTS, *scores.shape[1:])) if len(unsafe) else real[:0]
        if len(unsafe):
            redone = np.empty(len(unsafe))
            kernels.eisner_log.inside(scores[unsafe], lengths[unsafe], first, log, redone)
            log_partitions[unsafe] = redone
            refuse_impossible(log_partitions, "projective tree")
        return cls(scores, lengths, first, log_partitions, real, log, unsafe)

    @cached_property
    def marginals(self) -> tuple[Floats]:
        """((batch, N, N),): the probability of every arc."""
        result = np.zeros_like(self.scores)
        kernels.eisner_real.outside(self._safe_lengths, self.first, self._real, result)
        if len(self._unsafe):
            redone = np.zeros_like(result[self._unsafe])
            kernels.eisner_log.outside(*self._unsafe_part, redone)
            result[self._unsafe] = redone
        return (result,)

    def log_partitions_backward(self, adjoint: Floats) -> tuple[Floats]:
        """Return the adjoint of the scores, given that of the log-partitions."""
        return (scale_rows(adjoint, self.marginals[0]),)

    def backward(self, *adjoints: Floats | None) -> tuple[Floats]:
        """Return the adjoint of the scores, given that of the marginals."""
        check_adjoints(adjoints, 1)
        (adjoint,) = adjoints
        result = np.zeros_like(self.scores)
        if adjoint is None:
            return (result,)
        (marginals,) = self.marginals
        by_arc = direction(adjoint, self.scores.shape, self.scores.shape)
        kernels.eisner_real.backward(self._safe_lengths, self.first, self._real, marginals, by_arc, result)
        if len(self._unsafe):
            redone = np.zeros_like(result[self._unsafe])
            kernels.eisner_log.backward(*self._unsafe_part, by_arc[self._unsafe], redone)
            result[self._unsafe] = redone
        return (result,)

    @property
    def _safe_lengths(self) -> NDArray[np.int64]:
        lengths = self.lengths.copy()
        lengths[self._unsafe] = 0  # passed over
        return lengths

    @property
    def _unsafe_part(self) -> tuple[Floats, NDArray[np.int64], int, Floats, Floats]:
        unsafe = self._unsafe
        return self.scores[unsafe], self.lengths[unsafe], self.first, self._log, self.log_partitions[unsafe]


def best_trees(
    scores: ArrayLike, lengths: ArrayLike | None = None, *, roots: Roots = "any"
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the score of the best tree of each sentence (batch,), and its heads (batch, N), -1 for root and padding.

    Examples
    --------
    >>> best_trees(np.array([[[0, 5, 1], [0, 0, 4], [0, 2, 0]]]))
    (array([9.]), array([[-1,  0,  1]]))
    """
    scores, lengths = check_arcs(scores, lengths)
    heads = np.full(scores.shape[:2], -1)
    best = np.empty(len(scores))
    kernels.eisner_max.best(scores, lengths, int(has_one_root(roots)), best, heads)
    refuse_impossible(best, "projective tree")
    return best, heads

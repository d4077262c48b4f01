"""Dependency trees, projective or not, first order, for a padded batch of sentences."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from hypergraph import kernels
from hypergraph.batched.arcs import check_arcs, refuse_impossible
from hypergraph.batched.chart import check_adjoints, direction, scale_rows
from hypergraph.nonprojective.matrix_tree import TreeSums
from hypergraph.roots import Roots, has_one_root

__all__ = ["NonprojectiveTreeChart", "best_nonprojective_trees"]

Rows = slice | NDArray[np.int64]


@frozen(eq=False)
class NonprojectiveTreeChart:
    """Log-partitions and marginals of first-order trees by the matrix-tree theorem, right for scores of any size.

    Examples
    --------
    >>> chart = NonprojectiveTreeChart.run(np.zeros((2, 4, 4)), lengths=[3, 2])
    >>> np.exp(chart.log_partitions).round(9)  # (n + 1)^(n - 1) trees
    array([16.,  3.])
    >>> (marginals,) = chart.marginals
    >>> marginals[1].sum(axis=0).round(9)  # every word of the second sentence has one head
    array([0., 1., 1., 0.])
    """

    scores: Floats = field(repr=False)
    lengths: NDArray[np.int64] = field()
    log_partitions: Floats = field()
    _sums: list[tuple[Rows, int, TreeSums]] = field(repr=False)

    @classmethod
    def run(
        cls, scores: ArrayLike, lengths: ArrayLike | None = None, *, roots: Roots = "any"
    ) -> "NonprojectiveTreeChart":
        """Sum over trees.

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
        log_partitions = np.empty(len(scores))
        sums = []
        for rows, size in _by_length(lengths):
            sums.append((rows, size, TreeSums(scores[rows, :size, :size], roots)))
            log_partitions[rows] = sums[-1][2].log_partition
        refuse_impossible(log_partitions, "tree")
        return cls(scores, lengths, log_partitions, sums)

    @cached_property
    def marginals(self) -> tuple[Floats]:
        """((batch, N, N),): the probability of every arc."""
        result = np.zeros_like(self.scores)
        for rows, size, sums in self._sums:
            result[rows, :size, :size] = sums.marginals
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
        by_arc = direction(adjoint, self.scores.shape, self.scores.shape)
        for rows, size, sums in self._sums:
            result[rows, :size, :size] = sums.marginals_backward(by_arc[rows, :size, :size])
        return (result,)


def best_nonprojective_trees(
    scores: ArrayLike, lengths: ArrayLike | None = None, *, roots: Roots = "any"
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the score of the best tree of each sentence (batch,), and its heads (batch, N), -1 for root and padding.

    The parameters are those of `NonprojectiveTreeChart.run`.  O(N²) for each sentence (Chu & Liu 1965; Edmonds 1967;
    Tarjan 1977); with one root, the best such tree.  Among equally good trees the choice is arbitrary, but always the
    same.

    Examples
    --------
    >>> best_nonprojective_trees(np.array([[[0, 5, 4, 0], [0, 0, 3, 0], [0, 9, 0, 1], [0, 0, 8, 0]]]))
    (array([17.]), array([[-1,  2,  3,  0]]))
    """
    scores, lengths = check_arcs(scores, lengths)
    heads = np.full(scores.shape[:2], -1)
    best = np.empty(len(scores))
    kernels.arborescence.best(scores, lengths, has_one_root(roots), best, heads)
    refuse_impossible(best, "tree")
    return best, heads


def _by_length(lengths: NDArray[np.int64]) -> Iterator[tuple[Rows, int]]:
    """Yield the rows of each length, and that length with the root."""
    if len(lengths) == 1:
        yield slice(None), int(lengths[0]) + 1
        return
    for length in np.unique(lengths):
        yield np.flatnonzero(lengths == length), int(length) + 1

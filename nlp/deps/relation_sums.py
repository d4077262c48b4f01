"""Relations summed out in the scores of arcs: log Σ_r exp s(h, m, r), and the way back (the chain rule).

Legend: A candidate arcs; T pairs of an arc with a relation that it may have, arc by arc.
"""

from functools import cached_property

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats, Integers
from nlp.deps import kernels

__all__ = ["RelationSums"]


@frozen(eq=False)
class RelationSums:
    """Which relations each arc may have.

    Attributes
    ----------
    starts : (A + 1,); arc a may have the relations labels[starts[a] : starts[a + 1]], at least one
    labels : (T,) their numbers
    all_names : of all relations

    Examples
    --------
    >>> sums = RelationSums(np.array([0, 2, 3]), np.array([0, 1, 1]), ("det", "nsubj"))
    >>> totals, shares = sums.sums(np.log([1.0, 3.0, 2.0]))
    >>> np.exp(totals).round(9), shares.round(9)
    (array([4., 2.]), array([0.25, 0.75, 1.  ]))
    """

    starts: Integers = field(repr=False)
    labels: Integers = field(repr=False)
    all_names: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        """Return T."""
        return len(self.labels)

    @property
    def counts(self) -> Integers:
        """(A,): how many relations each arc may have."""
        return np.diff(self.starts)

    @cached_property
    def arcs(self) -> Integers:
        """(T,): the arc of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), self.counts)

    def sums(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return (A,) the logs of the sums of each arc, and (T,) the share of each relation in its arc."""
        totals, shares = np.empty(len(self.starts) - 1), np.empty(len(scores))
        kernels.relations.sums(self.starts, np.ascontiguousarray(scores, dtype=np.float64), totals, shares)
        return totals, shares

    def best(self, values: Floats) -> Integers:
        """Return (A,): the pair of greatest value of each arc, the first of equals."""
        found = np.empty(len(self.starts) - 1, dtype=np.int64)
        kernels.relations.best(self.starts, np.ascontiguousarray(values, dtype=np.float64), found)
        return found

    def indicator(self, pairs: Integers) -> Floats:
        """Return (T,): 1 for some pairs."""
        found = np.zeros(len(self))
        found[pairs] = 1.0
        return found

    def spread(self, of_arcs: Floats) -> Floats:
        """Return (T,): for each pair what its arc has."""
        return np.asarray(of_arcs[self.arcs])

    def total(self, values: Floats) -> Floats:
        """Return (A,): the sum over each arc's relations."""
        return np.bincount(self.arcs, weights=values, minlength=len(self.starts) - 1).astype(np.float64)

    def backward(self, shares: Floats, on_totals: Floats, on_shares: Floats) -> Floats:
        """Return the adjoint of the scores (T,), given those of the sums (A,) and of the shares (T,)."""
        return self.backward_logs(shares, on_totals, shares * on_shares)

    def backward_logs(self, shares: Floats, on_totals: Floats, on_logs: Floats) -> Floats:
        """Return the same, given the adjoint of the logs of the shares."""
        return np.asarray(on_logs + shares * self.spread(on_totals - self.total(on_logs)))

    def names(self, pairs: Integers) -> list[str]:
        """Return the relations of some pairs."""
        return [self.all_names[label] for label in self.labels[pairs].tolist()]

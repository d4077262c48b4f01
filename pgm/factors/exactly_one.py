"""EXACTLY1, in parsing also called XOR: one and only one is true (for the XOR of coding theory see `Parity`)."""

import numpy as np

from autodiff.array_types import Booleans, Floats
from pgm.factor import LinearConstraints
from pgm.factors._binary_constraint import BinaryConstraint, Solution
from pgm.factors._leave_one_out import LeaveOneOutLogSum, leave_one_out_max
from pgm.factors._log_odds import reference

__all__ = ["ExactlyOne"]


class ExactlyOne(BinaryConstraint):
    """Exactly one of the variables is true.

    Outgoing log-odds: y_i = -log Σ_{j ≠ i} e^{x_j}; for max-product -max_{j ≠ i} x_j.  O(degree).

    References
    ----------
    Smith & Eisner 2008, §3.3 and §5 (EXACTLY1); Martins et al. 2010, Table 1 (XOR).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> arcs = graph.variables("arc", shape=(4, 3))
    >>> graph.add(ExactlyOne([arcs[0], arcs[1], arcs[2], arcs[3]]))  # every child has one head
    <ExactlyOne: 3 factors over 4 variables>
    """

    def allowed(self, literals: Booleans) -> Booleans:
        """Whether one is true."""
        return literals.sum(axis=1) == 1

    def solve(self, x: Floats) -> Solution:
        """Sum over the others."""
        return OneOf(x, or_none=False)

    def max_log_odds(self, x: Floats) -> Floats:
        """Maximise over the others."""
        return -leave_one_out_max(x)

    def literal_constraints(self) -> LinearConstraints:
        """Σ z = 1."""
        return np.zeros((0, self.degree)), np.zeros(0), np.ones((1, self.degree)), np.ones(1)


class OneOf(Solution):
    """One is true; or none, which is one more literal with log-odds 0 that nobody sees."""

    def __init__(self, x: Floats, *, or_none: bool) -> None:
        self.x = x
        self.or_none = or_none
        self.sums = LeaveOneOutLogSum(np.pad(x, ((0, 0), (0, 1))) if or_none else x)
        self.outgoing = -self.sums.log_sums[:, : x.shape[1]]

    def log_partition(self, pairs: Floats) -> Floats:
        """All false, times the sum of odds; with one that must be true, that one; with two, nothing."""
        certain = (self.x == np.inf).sum(axis=1)
        weight = np.logaddexp(self.sums.log_sums[:, 0], self.x[:, 0])
        return reference(pairs) + np.where(certain == 0, weight, np.where(certain == 1, 0.0, -np.inf))

    def backward(self, adjoint: Floats) -> Floats:
        """Return the adjoint of x."""
        padded = np.pad(adjoint, ((0, 0), (0, 1))) if self.or_none else adjoint
        return self.sums.backward(-padded)[:, : self.x.shape[1]]

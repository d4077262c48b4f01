"""ATMOST1: one is true, or none."""

import numpy as np

from autodiff.array_types import Booleans, Floats
from pgm.factor import LinearConstraints
from pgm.factors._binary_constraint import BinaryConstraint, Solution
from pgm.factors._leave_one_out import leave_one_out_max
from pgm.factors.exactly_one import OneOf

__all__ = ["AtMostOne"]


class AtMostOne(BinaryConstraint):
    """At most one of the variables is true.

    Outgoing log-odds: y_i = -log(1 + Σ_{j ≠ i} e^{x_j}); for max-product -max(0, max_{j ≠ i} x_j).  O(degree).

    References
    ----------
    Smith & Eisner 2008, §3.3 (ATMOST1).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.add(AtMostOne(graph.variables("choice", shape=(5,))))
    <AtMostOne: 1 factors over 5 variables>
    """

    def allowed(self, literals: Booleans) -> Booleans:
        """Whether fewer than two are true."""
        return literals.sum(axis=1) <= 1

    def solve(self, x: Floats) -> Solution:
        """Sum over the others, and none."""
        return OneOf(x, or_none=True)

    def max_log_odds(self, x: Floats) -> Floats:
        """Maximise over the others, and none."""
        return -np.maximum(leave_one_out_max(x), 0.0)

    def literal_constraints(self) -> LinearConstraints:
        """Σ z ≤ 1."""
        return np.ones((1, self.degree)), np.ones(1), np.zeros((0, self.degree)), np.zeros(0)

"""OR: at least one is true."""

import numpy as np

from autodiff.array_types import Booleans, Floats
from pgm.factor import LinearConstraints
from pgm.factors._binary_constraint import BinaryConstraint, Solution
from pgm.factors._leave_one_out import LeaveOneOutLogSum, leave_one_out_max, leave_one_out_sum
from pgm.factors._softplus import log_complement, log_softplus, log_softplus_slope, softplus

__all__ = ["Or"]


class Or(BinaryConstraint):
    """At least one of the variables is true.

    Outgoing log-odds: y_i = -log(1 - e^-N_i) with N_i = Σ_{j ≠ i} log(1 + e^{x_j}), so that e^-N_i is the probability
    that none of the others is true; for max-product max(0, -max_{j ≠ i} x_j).  O(degree).

    References
    ----------
    Martins et al. 2010, Table 1 (OR).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.add(Or(graph.variables("alarm", shape=(3,)), negated=[False, False, True]))
    <Or: 1 factors over 3 variables>
    """

    def allowed(self, literals: Booleans) -> Booleans:
        """Whether one is true."""
        return np.asarray(literals.any(axis=1))

    def solve(self, x: Floats) -> Solution:
        """Sum over the others."""
        return AnyOf(x)

    def max_log_odds(self, x: Floats) -> Floats:
        """Maximise over the others."""
        return np.maximum(0.0, -leave_one_out_max(x))

    def literal_constraints(self) -> LinearConstraints:
        """Σ z ≥ 1."""
        return -np.ones((1, self.degree)), -np.ones(1), np.zeros((0, self.degree)), np.zeros(0)


class AnyOf(Solution):
    """One or more are true.

    N_i is kept as it is, exact where it is large, and as a logarithm, exact where it is small or underflows.
    """

    def __init__(self, x: Floats) -> None:
        self.x = x
        self.terms, self.log_terms = softplus(x), log_softplus(x)
        self.amounts = leave_one_out_sum(self.terms)
        self.sums = LeaveOneOutLogSum(self.log_terms)
        self.outgoing = -log_complement(self.amounts, self.sums.log_sums)

    def log_partition(self, pairs: Floats) -> Floats:
        """All assignments, times the probability that one is true."""
        everything = np.logaddexp(pairs[..., 0], pairs[..., 1]).sum(axis=1)
        log_amount = np.logaddexp(self.sums.log_sums[:, 0], self.log_terms[:, 0])
        return everything + log_complement(self.terms.sum(axis=1), log_amount)

    def backward(self, adjoint: Floats) -> Floats:
        """Return the adjoint of x; d y_i / d log N_i = -N_i / (e^N_i - 1)."""
        amounts = np.minimum(self.amounts, 800.0)  # beyond it e^-N is 0
        some = np.where(amounts > 0.0, amounts, 1.0)
        slope = np.where(amounts > 0.0, some * np.exp(-some) / -np.expm1(-some), 1.0)
        return self.sums.backward(-adjoint * slope) * log_softplus_slope(self.x)

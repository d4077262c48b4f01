"""OR-WITH-OUTPUT: the last says whether any of the others is true."""

import numpy as np

from autodiff.array_types import Booleans, Floats
from pgm.factor import LinearConstraints
from pgm.factors._binary_constraint import BinaryConstraint, Solution
from pgm.factors._leave_one_out import LeaveOneOutLogSum, leave_one_out_max, leave_one_out_sum
from pgm.factors._softplus import log_complement, log_softplus, log_softplus_slope, softplus

__all__ = ["OrWithOutput"]


class OrWithOutput(BinaryConstraint):
    """The output (the last variable) is true if and only if one or more of the inputs (the others) are.

    Outgoing log-odds, with N_i = Σ_{j ≠ i, inputs} log(1 + e^{x_j}), N for all inputs and o the log-odds of the output:
    to an input -log(e^{-o - N_i} + (1 - e^-N_i)), to the output log(e^N - 1).  For max-product, with
    P_i = Σ_{j ≠ i} max(0, x_j) and M_i = max_{j ≠ i} x_j: min(o + P_i, max(0, -M_i)) and P + min(0, M).  O(degree).

    References
    ----------
    Martins et al. 2010, Table 1 (OR-WITH-OUTPUT).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> causes, alarm = graph.variables("cause", shape=(2,)), graph.variable("alarm")
    >>> factor = graph.add(OrWithOutput([causes[0], causes[1], alarm]))
    >>> factor.score(np.array([[1, 1, 1]])), factor.score(np.array([[0, 0, 1]]))
    (array([0.]), array([-inf]))
    """

    def allowed(self, literals: Booleans) -> Booleans:
        """Whether the output is right."""
        return literals[:, :-1].any(axis=1) == literals[:, -1]

    def solve(self, x: Floats) -> Solution:
        """Sum over the others."""
        return OutputOfAny(x)

    def max_log_odds(self, x: Floats) -> Floats:
        """Maximise over the others."""
        inputs, output = x.copy(), x[:, -1:]
        inputs[:, -1] = -np.inf
        best = leave_one_out_max(inputs)
        gain = leave_one_out_sum(np.maximum(inputs, 0.0))
        result = np.minimum(_sum(output, gain), np.maximum(0.0, -best))
        result[:, -1] = gain[:, -1] + np.minimum(0.0, best[:, -1])
        return result

    def literal_constraints(self) -> LinearConstraints:
        """The output is at most the sum of the inputs, and at least each of them."""
        inputs = np.eye(self.degree - 1, self.degree)
        inputs[:, -1] = -1.0
        some = np.append(-np.ones(self.degree - 1), 1.0)
        return np.vstack([inputs, some]), np.zeros(self.degree), np.zeros((0, self.degree)), np.zeros(0)


class OutputOfAny(Solution):
    """The last literal is whether any of the others is true; in sums over inputs it counts as one that never is."""

    def __init__(self, x: Floats) -> None:
        self.inputs, self.output = x.copy(), x[:, -1:]
        self.inputs[:, -1] = -np.inf
        self.amounts = leave_one_out_sum(softplus(self.inputs))  # N_i, and N in the last place
        self.sums = LeaveOneOutLogSum(log_softplus(self.inputs))
        self.some = log_complement(self.amounts, self.sums.log_sums)  # log(1 - e^-N_i)
        self.none = _sum(-self.output, -self.amounts)  # the output is false, as against true
        self.outgoing = -np.logaddexp(self.none, self.some)
        self.outgoing[:, -1] = self.amounts[:, -1] + self.some[:, -1]

    def log_partition(self, pairs: Floats) -> Floats:
        """All assignments to inputs, times the probability of what the output is sent."""
        everything = np.logaddexp(pairs[:, :-1, 0], pairs[:, :-1, 1]).sum(axis=1)
        false, true = pairs[:, -1, 0], pairs[:, -1, 1]
        return everything + np.logaddexp(false - self.amounts[:, -1], true + self.some[:, -1])

    def backward(self, adjoint: Floats) -> Floats:
        """Return the adjoint of x.

        With w = e^{-o - N_i + y_i}: d y_i / d o = w, and d y_i / d log N_i = N_i w (1 - e^o), written for o > 0 as
        N_i e^{y_i - N_i} (e^-o - 1).
        """
        safe = np.isfinite(self.outgoing) & np.isfinite(self.none)
        safe[:, -1] = False  # the output has a slope of its own, below
        y, none = np.where(safe, self.outgoing, 0.0), np.where(safe, self.none, -np.inf)
        amounts = np.where(np.isfinite(self.amounts), self.amounts, 0.0)
        log_amounts = np.where(np.isfinite(self.amounts), self.sums.log_sums, -np.inf)
        below, above = np.minimum(self.output, 0.0), np.maximum(self.output, 0.0)
        slope = np.where(
            self.output > 0.0,
            np.exp(np.minimum(log_amounts + np.where(np.isfinite(self.outgoing), self.outgoing, 0.0) - amounts, 0.0))
            * np.expm1(-above),
            -np.exp(log_amounts + none + y) * np.expm1(below),
        )
        total = amounts[:, -1]
        some = np.where(total > 0.0, total, 1.0)
        slope[:, -1] = np.where(total > 0.0, some / -np.expm1(-some), 1.0)
        result = self.sums.backward(adjoint * slope) * log_softplus_slope(self.inputs)
        share = np.exp(none + y)
        result[:, -1] = (adjoint * share)[:, :-1].sum(axis=1)
        return result


def _sum(one: Floats, other: Floats) -> Floats:
    """Return one + other, and 0 for inf - inf: the factor is contradicted, so that nothing is asked of it."""
    with np.errstate(invalid="ignore"):
        result = one + other
    return np.where(np.isnan(result), 0.0, result)

"""Sums, maxima and log-sums over all entries of a row but one, for every entry, in linear time and without subtraction.

Rows are (F, D).  The sum of all but entry i is that of the entries before i plus that of those after i: nothing is ever
taken away from a total, so nothing cancels.
"""

import numpy as np

from autodiff.array_types import Floats

__all__ = ["LeaveOneOutLogSum", "leave_one_out_max", "leave_one_out_sum"]


def leave_one_out_sum(terms: Floats) -> Floats:
    """Return (F, D): Σ_{j ≠ i} terms_j.  Its own adjoint.

    >>> leave_one_out_sum(np.array([[1.0, 2.0, np.inf]]))
    array([[inf, inf,  3.]])
    """
    result = np.zeros_like(terms)
    np.cumsum(terms[:, :-1], axis=1, out=result[:, 1:])
    result[:, :-1] += np.cumsum(terms[:, :0:-1], axis=1)[:, ::-1]
    return result


def leave_one_out_max(values: Floats) -> Floats:
    """Return (F, D): max_{j ≠ i} values_j; -inf where there is no other.

    >>> leave_one_out_max(np.array([[1.0, 3.0, 2.0]]))
    array([[3., 2., 3.]])
    """
    rows = np.arange(len(values))
    place = values.argmax(axis=1)
    result = np.repeat(values[rows, place][:, None], values.shape[1], axis=1)
    rest = values.copy()
    rest[rows, place] = -np.inf
    result[rows, place] = rest.max(axis=1)
    return result


class LeaveOneOutLogSum:
    """(F, D): log Σ_{j ≠ i} exp values_j, and its adjoint; values may be -inf (nothing) and +inf (everything).

    All sums but one contain the greatest entry of their row, so they are taken in the real domain relative to it, one
    exponential an entry.  The sum without the greatest entry is taken relative to the second greatest.

    >>> LeaveOneOutLogSum(np.array([[1e4, -1e4, -np.inf]])).log_sums
    array([[-10000.,  10000.,  10000.]])
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        self.rows = np.arange(len(values))
        self.place = values.argmax(axis=1)  # of the greatest
        self.top = values[self.rows, self.place]
        rest = values.copy()
        rest[self.rows, self.place] = -np.inf
        self.weights = np.exp(np.minimum(values - _finite(self.top)[:, None], 0.0))
        self.sums = leave_one_out_sum(self.weights)
        self.sums[self.rows, self.place] = 1.0  # that of the greatest is another sum; all others are at least 1
        second = rest.max(axis=1)
        rest_sum = np.exp(np.minimum(rest - _finite(second)[:, None], 0.0)).sum(axis=1)
        with np.errstate(divide="ignore"):  # of sums over nothing
            self.log_sums = np.log(self.sums) + self.top[:, None]
            self.log_sums[self.rows, self.place] = np.log(rest_sum) + second

    def backward(self, adjoint: Floats) -> Floats:
        """Return the adjoint of the values, Σ_{i ≠ j} adjoint_i exp(values_j - log_sums_i), in linear time."""
        adjoint = np.where(np.isfinite(self.log_sums), adjoint, 0.0)
        of_rest = adjoint[self.rows, self.place]
        shares = adjoint / np.where(self.sums > 0.0, self.sums, 1.0)
        shares[self.rows, self.place] = 0.0
        result = self.weights * leave_one_out_sum(shares)
        below = self.values - _finite(self.log_sums[self.rows, self.place])[:, None]
        more = of_rest[:, None] * np.exp(np.minimum(below, 0.0))
        more[self.rows, self.place] = 0.0
        return np.where(np.isfinite(self.values), result + more, 0.0)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, 0.0)

"""PARITY, the XOR of coding theory: an even (or odd) number is true."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.array_types import Booleans, Floats
from pgm.factors._binary_constraint import BinaryConstraint, Solution
from pgm.factors._leave_one_out import leave_one_out_max
from pgm.factors._softplus import sigmoid

__all__ = ["Parity"]


class Parity(BinaryConstraint):
    """An even number of the variables is true: the check of a linear code (LDPC), whose sum modulo 2 is 0.

    This is XOR as coding theory has it.  Where the parsing literature says XOR it means `ExactlyOne`.  Outgoing
    log-odds: tanh(y_i / 2) = -Π_{j ≠ i} -tanh(x_j / 2), by sums of prefixes and suffixes in log-odds; for max-product
    ±min_{j ≠ i} |x_j|.  O(degree), where a table has 2^degree entries.

    Parameters
    ----------
    variables : as for every family
    odd : an odd number is true instead
    negated : (degree,) or (factors, degree): where the opposite of the variable is meant

    References
    ----------
    Gallager (1963), Low-density parity-check codes; Kschischang, Frey & Loeliger (2001), §III.

    Examples
    --------
    >>> from pgm import BeliefPropagation, FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> bits = graph.variables("bit", 4)
    >>> checks = graph.add(Parity(bits[[[0, 1, 2], [1, 2, 3]]]))
    >>> seen = graph.add(Table(bits[[[0], [1], [2], [3]]], np.log([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.9, 0.1]])))
    >>> BeliefPropagation().run(graph).belief(bits).argmax(axis=1)  # 0110: both checks are even
    array([0, 1, 1, 0])
    """

    def __init__(
        self, variables: Any, *, odd: bool = False, negated: ArrayLike | None = None, name: str | None = None
    ) -> None:
        self.odd = odd
        super().__init__(variables, negated=negated, name=name)

    def _own_negation(self) -> Booleans:
        return (np.arange(self.degree) == self.degree - 1) & self.odd

    def allowed(self, literals: Booleans) -> Booleans:
        """Whether an even number of literals is true."""
        return literals.sum(axis=1) % 2 == 0

    def solve(self, x: Floats) -> Solution:
        """Sum over the others."""
        return Even(x)

    def max_log_odds(self, x: Floats) -> Floats:
        """The others as they are best, or with the one changed that costs least."""
        least = -leave_one_out_max(-np.abs(x))
        true = x > 0.0
        others_are_odd = (true.sum(axis=1, keepdims=True) - true) % 2 == 1
        return np.where(others_are_odd, least, -least)

    def merge_key(self) -> Hashable | None:
        """Even and odd ones of one degree stay apart."""
        return *super().merge_key(), self.odd  # type: ignore[misc]

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Parity"]:
        """Yield even and odd checks of several degrees, some negated."""
        for degree in (1, 2, 3, 5):
            variables = np.arange(2 * degree).reshape(2, degree)
            yield cls(variables)
            yield cls(variables, odd=True, negated=rng.random((2, degree)) < 0.5)


class Even(Solution):
    """Log-odds that a sum of literals is odd, of all before each position and of all after it."""

    def __init__(self, x: Floats) -> None:
        factors, degree = x.shape
        self.x = x
        self.before = np.full((factors, degree + 1), -np.inf)  # no literals: surely even
        self.after = np.full((factors, degree + 1), -np.inf)
        for i in range(degree):
            self.before[:, i + 1] = sum_log_odds(self.before[:, i], x[:, i])
        for i in range(degree - 1, -1, -1):
            self.after[:, i] = sum_log_odds(self.after[:, i + 1], x[:, i])
        self.outgoing = sum_log_odds(self.before[:, :-1], self.after[:, 1:])  # true where the others are odd

    def log_partition(self, pairs: Floats) -> Floats:
        """All assignments, times the probability that the sum is even."""
        every = np.logaddexp(pairs[..., 0], pairs[..., 1]).sum(axis=1)
        return every - np.logaddexp(0.0, self.before[:, -1])

    def backward(self, adjoint: Floats) -> Floats:
        """Return the adjoint of x."""
        on_before, on_after = np.zeros_like(self.before), np.zeros_like(self.after)
        before, after = sum_slopes(self.before[:, :-1], self.after[:, 1:])
        on_before[:, :-1] += adjoint * before
        on_after[:, 1:] += adjoint * after
        result = np.zeros_like(self.x)
        for i in range(self.x.shape[1] - 1, -1, -1):
            of_rest, of_x = sum_slopes(self.before[:, i], self.x[:, i])
            on_before[:, i] += on_before[:, i + 1] * of_rest
            result[:, i] += on_before[:, i + 1] * of_x
        for i in range(self.x.shape[1]):
            of_rest, of_x = sum_slopes(self.after[:, i + 1], self.x[:, i])
            on_after[:, i + 1] += on_after[:, i] * of_rest
            result[:, i] += on_after[:, i] * of_x
        return result


def sum_log_odds(a: Floats, b: Floats) -> Floats:
    """Return the log-odds of a + b being odd: log (e^a + e^b) / (1 + e^{a + b}), for a and b in [-inf, inf].

    >>> sum_log_odds(np.array([2.0, -np.inf, np.inf, np.inf]), np.array([0.0, 3.0, 3.0, np.inf]))
    array([  0.,   3.,  -3., -inf])
    """
    size = np.minimum(np.abs(a), np.abs(b))
    certain = np.isinf(a) | np.isinf(b)
    left, right = np.where(certain, 0.0, a), np.where(certain, 0.0, b)
    rest = np.log1p(np.exp(-np.abs(left - right))) - np.log1p(np.exp(-np.abs(left + right)))
    return np.where((a > 0.0) == (b > 0.0), -size, size) + rest


def sum_slopes(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of `sum_log_odds` by a and by b; that by an infinite one is 0 to nobody's harm."""
    both_infinite = np.isinf(a) & np.isinf(b)
    left, right = np.where(both_infinite, 0.0, a), np.where(both_infinite, 0.0, b)
    total, difference = sigmoid(left + right), left - right
    by_a = np.where(both_infinite, 0.0, sigmoid(difference) - total)
    by_b = np.where(both_infinite, 0.0, sigmoid(-difference) - total)
    return by_a, by_b

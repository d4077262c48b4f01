"""BUDGET: at most, or exactly, so many are true."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.array_types import Booleans, Floats
from autodiff.conversion import as_count
from pgm import kernels
from pgm.errors import FactorGraphError
from pgm.factor import LinearConstraints
from pgm.factors._binary_constraint import BinaryConstraint, Solution
from pgm.factors._log_odds import reference

__all__ = ["Budget"]


class Budget(BinaryConstraint):
    """At most `limit` of the variables are true; or exactly so many.

    Outgoing log-odds: y_i = log E(limit - 1) - log E(limit), with E(k) the sum over allowed assignments to the others
    with k true (at most, or exactly), from polynomials forwards and backwards: O(degree · limit), nothing subtracted.
    For max-product, the limit-th greatest of the others, m: -max(0, m), or exactly -m.  O(degree).

    Parameters
    ----------
    limit : how many may be true
    exactly : whether so many must be true

    References
    ----------
    Martins et al. 2010, Table 1, for one; the recursion is that of elementary symmetric polynomials.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.add(Budget(graph.variables("sentence", shape=(10,)), 3))
    <Budget: 1 factors over 10 variables>
    """

    def __init__(
        self,
        variables: Any,
        limit: int,
        *,
        exactly: bool = False,
        negated: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(variables, negated=negated, name=name)
        limit = as_count(limit, f"{self.name}: limit", FactorGraphError)
        if exactly and limit > self.degree:
            raise FactorGraphError(f"{self.name}: exactly {limit} of {self.degree} variables cannot be true")
        self.limit = min(limit, self.degree)
        self.exactly = bool(exactly)

    def allowed(self, literals: Booleans) -> Booleans:
        """Whether the number fits."""
        count = literals.sum(axis=1)
        return count == self.limit if self.exactly else count <= self.limit

    def solve(self, x: Floats) -> Solution:
        """Count forwards and backwards."""
        return SomeOf(x, self.limit, self.exactly)

    def max_log_odds(self, x: Floats) -> Floats:
        """Compare with the others' limit-th greatest, which is one further down for those above it."""
        bounded = np.pad(x, ((0, 0), (1, 1)), constant_values=((0, 0), (np.inf, -np.inf)))
        down = self.degree + 1  # the place of +inf when sorted; the next greatest is one below
        places = [down - self.limit - 1, down - self.limit] if self.limit < self.degree + 1 else [0, 1]
        ordered = np.partition(bounded, places, axis=1)
        following, last = ordered[:, places[0], None], ordered[:, places[1], None]
        others = np.where(x >= last, following, last) if self.limit else np.full_like(x, np.inf)
        return -others if self.exactly else -np.maximum(others, 0.0)

    def literal_constraints(self) -> LinearConstraints:
        """Σ z ≤ limit, or = limit."""
        row, limit = np.ones((1, self.degree)), np.full(1, float(self.limit))
        none = np.zeros((0, self.degree)), np.zeros(0)
        return (*none, row, limit) if self.exactly else (row, limit, *none)

    def merge_key(self) -> Hashable | None:
        """Budgets of one degree and limit can be stacked."""
        return super().merge_key(), self.limit, self.exactly

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Budget"]:
        """Yield all limits for some degrees."""
        for degree in (1, 2, 3, 5):
            variables = np.arange(2 * degree).reshape(2, degree)
            for limit in range(degree + 1):
                for exactly in (False, True):
                    yield cls(variables, limit, exactly=exactly, negated=rng.random((2, degree)) < 0.3)


class SomeOf(Solution):
    """The number of true literals is limited; see `pgm.kernels.budget`."""

    def __init__(self, x: Floats, limit: int, exactly: bool) -> None:
        self.zero = np.where(x == np.inf, -np.inf, 0.0)
        self.one = np.where(x == np.inf, 0.0, x)
        self.limit, self.exactly = limit, exactly
        self.outgoing = np.empty_like(x)
        self.log_weight = np.empty(len(x))
        kernels.budget.forward(self.zero, self.one, limit, exactly, self.outgoing, self.log_weight)

    def log_partition(self, pairs: Floats) -> Floats:
        """All false, times the polynomial."""
        return reference(pairs) + self.log_weight

    def backward(self, adjoint: Floats) -> Floats:
        """Return the adjoint of x."""
        result = np.zeros_like(self.one)
        kernels.budget.backward(self.zero, self.one, self.limit, self.exactly, adjoint, result)
        return result

"""What hard constraints on binary variables share: literals, log-odds, and the way back.

Legend: a *literal* is a variable or, at a negated position, its opposite.  x (F, D) are the log-odds of the incoming
messages for a literal to be true, in [-inf, inf]; y (F, D) those of the outgoing messages.  y_d depends on the x of the
other positions only.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Booleans, Floats
from pgm.completions import TIE
from pgm.errors import FactorGraphError
from pgm.factor import Factor, LinearConstraints
from pgm.factor_run import FactorRun
from pgm.factors._log_odds import log_odds, log_odds_messages
from pgm.factors._softplus import sigmoid

__all__ = ["BinaryConstraint", "Booleans", "Floats", "Solution"]


class Solution(ABC):
    """What a constraint makes of log-odds x: the answer y as `outgoing`, the log-partition, and the adjoint."""

    outgoing: Floats

    @abstractmethod
    def log_partition(self, pairs: Floats) -> Floats:
        """Return (F,), given the messages (F, D, 2) of the literals."""

    @abstractmethod
    def backward(self, adjoint: Floats) -> Floats:
        """Return the adjoint of x, given that of `outgoing` (0 where it is infinite)."""


class BinaryConstraint(Factor):
    """A family of hard constraints on binary variables (state 1 is true): log ψ is 0 or -inf.

    Parameters
    ----------
    variables : what every family takes; an array (factors, degree), or a list of variables for one factor
    negated : (degree,) or (factors, degree): where the opposite of the variable is meant
    """

    row_fields = ("swapped",)

    def __init__(self, variables: Any, *, negated: ArrayLike | None = None, name: str | None = None) -> None:
        super().__init__(variables, name=name)
        if set(self.cardinalities) != {2}:
            raise FactorGraphError(
                f"{self.name} is for binary variables, but these have {self.cardinalities} states: "
                f"make indicator variables, or use a Table"
            )
        given = np.zeros(self.degree, dtype=np.bool_) if negated is None else np.asarray(negated)
        if given.dtype != np.bool_ or given.shape not in ((self.degree,), self.variables.shape):
            raise FactorGraphError(
                f"{self.name}: negated is {given.dtype} of shape {given.shape}, but must be bool of shape "
                f"{(self.degree,)} or {self.variables.shape}"
            )
        self.swapped: Booleans = np.array(np.broadcast_to(given, self.variables.shape)) ^ self._own_negation()

    # What a constraint writes

    def _own_negation(self) -> Booleans:
        """Return (D,): positions that the constraint itself negates, as Nand is an Or of opposites."""
        return np.zeros(self.degree, dtype=np.bool_)

    @abstractmethod
    def allowed(self, literals: Booleans) -> Booleans:
        """Return (F,): whether the constraint holds, given the truth of the literals (F, D)."""

    @abstractmethod
    def solve(self, x: Floats) -> Solution:
        """Return what sum-product needs."""

    @abstractmethod
    def max_log_odds(self, x: Floats) -> Floats:
        """Return y for max-product."""

    # What they have in common

    @property
    def negated(self) -> Booleans:
        """(F, D): where the user said that the opposite is meant."""
        return self.swapped ^ self._own_negation()

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return 0 where the constraint holds, -inf elsewhere."""
        return np.where(self.allowed((self.states_of(assignment) == 1) ^ self.swapped), 0.0, -np.inf)

    def run(self, incoming: Floats, prepared: Any) -> "BinaryRun":
        """Solve in log-odds."""
        incoming = self.check_incoming(incoming)
        return BinaryRun(incoming, self)

    def max_messages(self, incoming: Floats, prepared: Any) -> Floats:
        """Maximise in log-odds."""
        incoming = self.check_incoming(incoming)
        pairs = self.oriented(incoming)
        x = log_odds(pairs)
        sent = log_odds_messages(self.max_log_odds(x), pairs)
        certain = np.flatnonzero(np.isinf(x).any(axis=1))
        if len(certain):
            sent[certain[self.solve(x[certain]).log_partition(pairs[certain]) == -np.inf]] = -np.inf
        return self.oriented(sent).reshape(incoming.shape)

    def best(self, incoming: Floats, prepared: Any) -> NDArray[np.int64]:
        """Take the sign of each log-odds of max-marginals, where none ties and nothing is certain."""
        if not np.isfinite(incoming).all():
            return super().best(incoming, prepared)
        x = log_odds(self.oriented(incoming))
        y = self.max_log_odds(x)
        with np.errstate(invalid="ignore"):
            margin = np.abs(x + y) > TIE * np.maximum(1.0, np.abs(x).max(axis=1, initial=0.0, keepdims=True))
        if not margin.all():
            return super().best(incoming, prepared)
        return ((x + y > 0.0) ^ self.swapped).astype(np.int64)

    def oriented(self, messages: Floats) -> Floats:
        """Return (F, D, 2): messages to or from variables as those of literals, and the other way round."""
        pairs = messages.reshape(self.num_factors, self.degree, 2)
        return np.where(self.swapped[..., None], pairs[..., ::-1], pairs) if self.swapped.any() else pairs

    def literal_constraints(self) -> LinearConstraints | None:
        """Return A_ub, b_ub, A_eq, b_eq with A_ub z ≤ b_ub, A_eq z = b_eq for the literals z (D,); None: not known."""
        return None

    def linear_constraints(self) -> LinearConstraints | None:
        """Return the same for each factor, (F, constraints, D) and (F, constraints), over the variables themselves.

        Martins et al. 2010, Table 1; what `pgm.map.LinearProgram` asks for.  A negated variable x is a literal 1 - x.
        """
        found = self.literal_constraints()
        if found is None:
            return None
        sign = np.where(self.swapped, -1.0, 1.0)
        upper, upper_bound, equal, equal_value = found
        return (
            sign[:, None] * upper,
            upper_bound - self.swapped @ upper.T,
            sign[:, None] * equal,
            equal_value - self.swapped @ equal.T,
        )

    def merge_key(self) -> Hashable | None:
        """Constraints of one kind and degree can be stacked, however negated."""
        return type(self).__name__, self.degree

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["BinaryConstraint"]:
        """Yield constraints of several degrees, with nothing negated and at random."""
        for degree in (1, 2, 3, 5):
            variables = np.arange(2 * degree).reshape(2, degree)
            yield cls(variables)
            yield cls(variables, negated=rng.random((2, degree)) < 0.5)


class BinaryRun(FactorRun):
    """Messages of a family of constraints on binary variables."""

    def __init__(self, incoming: Floats, factor: BinaryConstraint) -> None:
        super().__init__(incoming)
        self.factor = factor
        self.pairs = factor.oriented(incoming)
        self.x = log_odds(self.pairs)
        self.solution = factor.solve(self.x)

    @cached_property
    def messages(self) -> Floats:
        """(F, W): 0 for false and y for true."""
        sent = log_odds_messages(self.solution.outgoing, self.pairs)
        if np.isinf(self.x).any():  # else nothing contradicts, and the log-partition need not be computed
            sent[self.log_partition == -np.inf] = -np.inf
        return self.factor.oriented(sent).reshape(self.incoming.shape)

    @cached_property
    def log_partition(self) -> Floats:
        """(F,)."""
        return self.solution.log_partition(self.pairs)

    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, None]:
        """Return the adjoint of incoming messages."""
        possible = (self.log_partition > -np.inf)[:, None]
        result = np.zeros_like(self.pairs)
        if messages is not None:
            sent = self.factor.oriented(messages)[..., 1]
            slope = self.solution.backward(np.where(np.isfinite(self.solution.outgoing) & possible, sent, 0.0))
            slope = np.where(np.isfinite(self.x) & possible, slope, 0.0)
            result[..., 0], result[..., 1] = -slope, slope
        if log_partition is not None:
            # Both states' probabilities come from their log-odds: 1 - p would have no digits left where p is near 1.
            belief = np.where(possible, self.x, 0.0) + np.where(possible, self.solution.outgoing, 0.0)
            share = np.where(possible, np.asarray(log_partition)[:, None], 0.0)
            result[..., 0] += share * sigmoid(-belief)
            result[..., 1] += share * sigmoid(belief)
        result[self.pairs == -np.inf] = 0.0
        return self.factor.oriented(result).reshape(self.incoming.shape), None

"""What belief propagation says about a graph."""

from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.assignments import likeliest, one_by_one
from pgm.beliefs import Beliefs, check_different
from pgm.check import edge_marginals, entropies
from pgm.errors import FactorGraphError
from pgm.factor import Factor, FactorRun
from pgm.graph import FactorGraph
from pgm.message_passing import MessagePassing
from pgm.schedules import Plan
from pgm.variables import Variable, VariableArray

__all__ = ["BeliefResult"]

Floats = NDArray[np.float64]


@frozen(eq=False)
class BeliefResult(Beliefs):
    """Beliefs after some iterations, and an honest word on whether they have settled.

    Attributes
    ----------
    converged : whether no message changed by more than the tolerance in the last iteration
    iterations : how many were run
    residuals : (iterations,) the greatest change of a message (its logarithm; of entries with any weight) in each
    """

    passing: MessagePassing = field(repr=False)
    plan: Plan = field(repr=False)
    converged: bool = field()
    iterations: int = field()
    residuals: Floats = field(repr=False)

    @property
    def graph(self) -> FactorGraph:
        """The graph that was asked."""
        return self.passing.layout.graph

    @property
    def residual(self) -> float:
        """The greatest change of a message in the last iteration."""
        return float(self.residuals[-1]) if len(self.residuals) else 0.0

    @cached_property
    def flat_beliefs(self) -> Floats:
        """(states,): the beliefs of all variables one after another."""
        return self.passing.beliefs()

    @cached_property
    def log_partition(self) -> float:
        """The Bethe log-partition (of sum-product messages): exact on a tree."""
        self._only_sums("log_partition")
        return self.passing.log_partition(self._runs)

    @cached_property
    def bethe_entropy(self) -> float:
        """Σ_α H(b_α) - Σ_i (d_i - 1) H(b_i), in nats."""
        self._only_sums("bethe_entropy")
        blocks = self.passing.layout.blocks
        of_factors = sum(entropies(block.factor, run).sum() for block, run in zip(blocks, self._runs, strict=True))
        return float(of_factors - (self.passing.layout.degrees - 1) @ self._variable_entropies)

    @property
    def bethe_free_energy(self) -> float:
        """-log_partition; at a fixed point, the average energy of the beliefs minus their Bethe entropy."""
        return -self.log_partition

    def entropy(self, of: Variable | VariableArray | str | int | Factor) -> Floats:
        """Return the entropy, in nats, of the belief of variables or of each factor of a family."""
        if isinstance(of, Factor):
            return np.concatenate([entropies(factor, run)[rows] for factor, run, rows in self._rows_of(of)])
        return np.asarray(self._variable_entropies[np.asarray(self.graph.find(of).index)])

    @cached_property
    def disagreement(self) -> float:
        """The greatest difference between a variable's belief and that of one of its factors; 0 at a fixed point."""
        worst = 0.0
        for block, run in zip(self.passing.layout.blocks, self._runs, strict=True):
            difference = np.abs(edge_marginals(block.factor, run) - self.flat_beliefs[block.index])
            worst = max(worst, float(difference.max(initial=0.0)))
        return worst

    def assignment(self) -> NDArray[np.int64]:
        """Return (variables,): the state of greatest belief of each variable; after max-product, a MAP guess.

        Where these do not go together (ties, hard constraints), variables are settled one after another instead, and
        messages passed on in between.  On a loopy graph even that may end in a contradiction: `graph.score` then says
        -inf.
        """
        graph = self.passing.layout.graph
        found = likeliest(self.passing)
        if graph.score(found) > -np.inf:
            return found
        saved = self.passing.snapshot()
        try:
            return one_by_one(self.passing, self.plan)
        finally:
            self.passing.go_back(saved)

    @cached_property
    def _runs(self) -> list[FactorRun]:
        return self.passing.runs()

    @cached_property
    def _variable_entropies(self) -> Floats:
        probability = self.flat_beliefs
        terms = -probability * np.log(np.where(probability > 0, probability, 1.0))
        return np.asarray(np.add.reduceat(terms, self.passing.layout.start[:-1]))

    def _rows_of(self, factor: Factor) -> list[tuple[Factor, FactorRun, Any]]:
        """Return where the rows of a family of the graph are, in the order of its rows."""
        number = self._number_of(factor)
        found = []
        for block, run in zip(self.passing.layout.blocks, self._runs, strict=True):
            first = 0
            for family, rows in block.parts:
                if family == number:
                    found.append((rows, (block.factor, run, slice(first, first + len(rows)))))
                first += len(rows)
        order = np.concatenate([rows for rows, _ in found])
        if (np.diff(order) < 0).any():  # a schedule has split the family: one row at a time, in order
            single = {int(row): (f, run, slice(at.start + i, at.start + i + 1))
                      for rows, (f, run, at) in found for i, row in enumerate(rows)}  # fmt: skip
            return [single[row] for row in range(factor.num_factors)]
        return [place for _, place in found]

    def _joint_belief(self, variables: list[int]) -> Floats:
        """Return the joint belief of variables that are together in one table, marginalised from the table's."""
        check_different(self.graph, variables)
        wanted = set(variables)
        for family in self.graph.families:
            if family.potentials is None or family.potentials.shape[1:] != family.cardinalities:
                continue  # its potentials are no table over its variables
            rows = np.flatnonzero(np.isin(family.variables, variables).sum(axis=1) == len(wanted))
            if len(rows):
                axes = [int(np.flatnonzero(family.variables[rows[0]] == v)[0]) for v in variables]
                others = tuple(d for d in range(family.degree) if d not in axes)
                kept = sorted(axes)
                return self._factor_belief(family)[rows[0]].sum(axis=others).transpose([kept.index(a) for a in axes])
        return super()._joint_belief(variables)

    def _factor_belief(self, factor: Factor) -> Floats:
        self._only_sums("the belief of a factor")
        places = self._rows_of(factor)
        if factor.potentials is None:
            return np.concatenate([edge_marginals(f, run)[rows] for f, run, rows in places])
        return np.concatenate([run.beliefs[rows] for _, run, rows in places])  # type: ignore[index]

    def _only_sums(self, what: str) -> None:
        if self.passing.mode != "sum":
            raise FactorGraphError(f"{what} comes from sum-product messages; these are max-product ones")

"""What belief propagation says about a graph."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from pgm.assignments import likeliest, one_by_one
from pgm.backpointers import best_by_tree, follow_backpointers, is_acyclic
from pgm.check import edge_marginals, entropies
from pgm.errors import ContradictionError, FactorGraphError, UnavailableError
from pgm.factor import Factor
from pgm.factor_run import FactorRun
from pgm.graph import FactorGraph
from pgm.inference_result import InferenceResult
from pgm.message_passing import MessagePassing
from pgm.schedules import Plan
from pgm.variables import Variable, VariableArray

__all__ = ["BeliefResult"]


@frozen(eq=False)
class BeliefResult(InferenceResult):
    """Beliefs after some iterations, and an honest word on whether they have settled.

    Attributes
    ----------
    flat_beliefs : (states,) the beliefs of all variables one after another
    converged : whether no message changed by more than the tolerance in the last iteration
    iterations : how many were run
    residuals : (iterations,) the greatest change of a message (its logarithm, before damping) in each; where none but
        the last can matter (a tolerance of 0, or a recorded run), the others are not looked at, and are NaN
    """

    passing: MessagePassing = field(repr=False)
    plan: Plan = field(repr=False)
    flat_beliefs: Floats = field(repr=False)
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

    @property
    def potentials(self) -> Sequence[Floats | None] | None:
        """The log-potentials that the run was given in place of those of the families; None if they are their own."""
        return self.passing.given

    @cached_property
    def log_partition(self) -> float:
        """The Bethe log-partition (of sum-product messages): exact on a tree.

        With counting numbers that of the reweighted free energy: an upper bound for a tree-reweighted fixed point.
        """
        self._only_sums("log_partition")
        return self.passing.log_partition(self._runs)

    @cached_property
    def factor_beliefs(self) -> dict[Factor, Floats]:
        """For each family with log-potentials, in their shape, the belief of each entry."""
        self._only_sums("the belief of a factor")
        by_family = [None if values is None else np.zeros_like(values) for values in self.passing.potentials]
        for block, run in zip(self.passing.layout.blocks, self._runs, strict=True):
            if run.beliefs is not None:
                block.scatter(run.beliefs, by_family)
        return self._by_factor(by_family)

    @cached_property
    def bethe_entropy(self) -> float:
        """Σ_α H(b_α) - Σ_i (d_i - 1) H(b_i), in nats.

        With counting numbers Σ_α c_α H(b_α) + Σ_i (1 - Σ_α c_α) H(b_i).
        """
        self._only_sums("bethe_entropy")
        pairs = zip(self.passing.channels, self._runs, strict=True)
        of_factors = sum(channel.counting @ entropies(channel.block.factor, run) for channel, run in pairs)
        return float(of_factors + self.passing.counting_of_variables @ self._variable_entropies)

    @property
    def bethe_free_energy(self) -> float:
        """-log_partition; at a fixed point, the average energy of the beliefs minus their Bethe entropy."""
        return -self.log_partition

    def entropy(self, of: Variable | VariableArray | str | int | Factor) -> Floats:
        """Return the entropy, in nats, of the belief of variables or of each factor of a family."""
        if isinstance(of, Factor):
            found = [entropies(factor, run)[rows] for factor, run, rows in self._rows_of(of)]
            return np.concatenate([np.zeros(0), *found])
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
        """Return (variables,): the state of greatest belief of each variable; after max-product, the best assignment.

        After max-product on a graph without cycles it is a best one, however many are tied and whether the messages
        have settled or not.  On a graph with cycles it is a guess, the better one of the states of greatest belief and
        of what backpointers along a spanning tree give.  Where states do not go together (hard constraints), variables
        are settled one after another instead, and messages passed on in between; on a loopy graph even that may end in
        a contradiction: `graph.score` then says -inf.
        """
        graph = self.passing.layout.graph
        if self.passing.mode == "max" and is_acyclic(graph):
            return best_by_tree(self.passing)
        found = likeliest(self.passing)
        score = graph.score(found, potentials=self.potentials)
        if self.passing.mode == "max":
            with suppress(ContradictionError):
                other = follow_backpointers(self.passing)
                others = other, graph.score(other, potentials=self.potentials)
                found, score = max([(found, score), others], key=lambda pair: pair[1])
        if score > -np.inf:
            return found
        saved = self.passing.snapshot()
        try:
            return one_by_one(self.passing, self.plan)
        finally:
            self.passing.go_back(saved)

    def backward(
        self,
        *,
        beliefs: ArrayLike | None = None,
        factor_beliefs: Mapping[Factor, ArrayLike] | None = None,
        log_partition: float | None = None,
    ) -> dict[Factor, Floats]:
        """Return the adjoints of the log-potentials of every family that has some, given those of what came out.

        The recorded steps are run in reverse, exactly: through damping and every factor, for whatever the messages are
        after these iterations, settled or not.  It costs about as much as the run; more with the adjoint of what comes
        from factors, whose last run is then needed as well.

        Parameters
        ----------
        beliefs : (states,) adjoint of `flat_beliefs`
        factor_beliefs : {family: adjoint of its `factor_beliefs`}; families that are left out have none
        log_partition : adjoint of `log_partition`

        Raises
        ------
        UnavailableError
            If the run was not recorded.
        """
        passing = self.passing
        if not passing.record:
            raise UnavailableError(
                "this run of belief propagation was not recorded, so it cannot go back; "
                "ask BeliefPropagation(…).run(graph, record=True)"
            )
        on_beliefs = None if beliefs is None else as_floats(
            beliefs, "the adjoint of the beliefs", shape=(passing.layout.num_states,)
        )  # fmt: skip
        on_blocks = self._of_blocks(factor_beliefs or {})
        on_log_partition = (
            None if log_partition is None else float(as_floats(log_partition, "the adjoint of log_partition", shape=()))
        )
        from_factors = on_log_partition is not None or any(adjoint is not None for adjoint in on_blocks)
        runs = self._runs if from_factors else ()
        return self._by_factor(passing.backward(runs, on_beliefs, on_blocks, on_log_partition))

    def _of_blocks(self, adjoints: Mapping[Factor, ArrayLike]) -> list[Floats | None]:
        """Return adjoints of the beliefs of families as those of blocks."""
        if not adjoints:
            return [None] * len(self.passing.layout.blocks)
        by_family: list[Floats | None] = [None] * len(self.passing.potentials)
        for factor, adjoint in adjoints.items():
            number = self._number_of(factor)
            own = self.passing.potentials[number]
            if own is None:
                raise FactorGraphError(f"{factor!r} has no log-potentials, so its beliefs have no adjoint")
            by_family[number] = as_floats(adjoint, f"the adjoint of the beliefs of {factor!r}", shape=own.shape)
        zeros = [
            np.zeros_like(own) if adjoint is None and own is not None else adjoint
            for adjoint, own in zip(by_family, self.passing.potentials, strict=True)
        ]
        return [
            None if all(by_family[family] is None for family, _ in block.parts) else block.gather(zeros)
            for block in self.passing.layout.blocks
        ]

    def _by_factor(self, by_family: Sequence[Floats | None]) -> dict[Factor, Floats]:
        """Return what belongs to the families with potentials, by family."""
        return {
            family: values for family, values in zip(self.graph.families, by_family, strict=False) if values is not None
        }

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
        if not factor.num_factors:
            return []
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
        if factor.potentials is not None:
            self._number_of(factor)
            return self.factor_beliefs[factor]
        places = self._rows_of(factor)
        none = np.zeros((0, int(factor.offsets[-1])))
        return np.concatenate([none, *(edge_marginals(f, run)[rows] for f, run, rows in places)])

    def _only_sums(self, what: str) -> None:
        if self.passing.mode != "sum":
            raise UnavailableError(
                f"{what} comes from sum-product messages, and these are max-product ones; "
                f"ask BeliefPropagation(mode='sum')"
            )

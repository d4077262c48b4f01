"""Naive mean field: the best distribution of independent variables, and a lower bound on log Z."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats
from autodiff.conversion import as_generator
from autodiff.validators import number, plain, whole
from pgm.belief_propagation import BeliefPropagation
from pgm.errors import FactorGraphError
from pgm.exact.tables import LocalTable, local_tables
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.inference_result import InferenceResult

__all__ = ["MeanField", "MeanFieldResult"]


@frozen(eq=False)
class MeanFieldResult(InferenceResult):
    """Beliefs q of independent variables, and the lower bound on log Z that they give.

    Attributes
    ----------
    log_partition : E_q[log Π ψ] + H(q) ≤ log Z, for whatever q, settled or not
    flat_beliefs : (states,) for each variable the probabilities of its states
    converged : whether no belief changed by more than the tolerance in the last sweep
    iterations : the sweeps of the start that was best
    """

    graph: FactorGraph = field(repr=False)
    log_partition: float = field()
    flat_beliefs: Floats = field(repr=False)
    converged: bool = field()
    iterations: int = field()

    def _joint_belief(self, variables: list[int]) -> Floats:
        """Return the product of the variables' beliefs, which are independent."""
        beliefs = self.beliefs
        return np.asarray(reduce(np.multiply.outer, [beliefs[variable] for variable in variables]))


@frozen(kw_only=True)
class MeanField(Inference):
    """Coordinate ascent in E_q[log Π ψ] + H(q) over q(y) = Π_i q_i(y_i): q_i(s) ∝ exp E_q[log Π ψ | y_i = s].

    Every step raises the bound, so it settles, in a local optimum that depends on the start.  There are several: where
    everything is possible, the uniform distribution and random ones; and the assignment that max-product finds, which
    is the only one where factors forbid something, as a q that gives weight to the impossible has the bound -inf.

    Parameters
    ----------
    iterations : sweeps over all variables, at most, from each start
    tolerance : stop when no belief changes by more
    starts : how many random ones
    seed : of those

    Every factor is used as a table: one that is too large for that is refused (TooLargeError).

    References
    ----------
    Wainwright & Jordan (2008), Graphical models, exponential families, and variational inference, §5.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 3)
    >>> triangle = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], [[1.0, 0.0], [0.0, 1.0]]))
    >>> result = MeanField().run(graph)
    >>> result.converged, bool(result.log_partition < np.log(2 * np.exp(3) + 6 * np.exp(1)))  # the exact one
    (True, True)
    """

    error_on_trees: ClassVar[float] = np.inf

    iterations: int = field(default=200, converter=plain, validator=whole(1))
    tolerance: float = field(default=1e-8, converter=plain, validator=number(least=0))
    starts: int = field(default=3, converter=plain, validator=whole(0))
    seed: int = field(default=0)

    def run(self, graph: FactorGraph, *, evidence: Any = None) -> MeanFieldResult:
        """Ascend from each start, and return where the bound is greatest.

        Raises
        ------
        ContradictionError
            If nothing satisfies all factors and the evidence, as far as max-product tells.
        FactorGraphError
            If factors forbid something, and no assignment that they allow was found to start from.
        """
        observed = graph.evidence(evidence)
        ascent = _Ascent(graph, observed)
        best: MeanFieldResult | None = None
        for start in self._starts(graph, ascent, evidence):
            found = ascent.run(start, self.iterations, self.tolerance)
            if best is None or found.log_partition > best.log_partition:
                best = found
        assert best is not None
        return best

    def _starts(self, graph: FactorGraph, ascent: "_Ascent", evidence: Any) -> list[list[Floats]]:
        cards = graph.cardinalities.tolist()
        best = BeliefPropagation(mode="max", damping=0.3).run(graph, evidence=evidence).assignment()
        certain = [np.eye(card)[state] for card, state in zip(cards, best.tolist(), strict=True)]
        if ascent.soft:
            rng = as_generator(self.seed, "MeanField: seed")
            drawn = [[rng.dirichlet(np.ones(card)) for card in cards] for _ in range(self.starts)]
            return [[np.full(card, 1.0 / card) for card in cards], certain, *drawn]
        if graph.score(best) == -np.inf:
            raise FactorGraphError(
                "mean field starts from an assignment that all factors allow, and max-product found none; "
                "use BeliefPropagation, TreeReweighted or an exact method"
            )
        return [certain]

    @classmethod
    def examples(cls) -> Iterable["MeanField"]:
        """Yield one random start."""
        yield cls(starts=1)


class _Ascent:
    """The tables of a graph's unobserved variables, by variable."""

    def __init__(self, graph: FactorGraph, observed: Mapping[int, int]) -> None:
        self.graph, self.observed = graph, observed
        self.constant = 0.0
        self.tables: list[_Split] = []
        self.at: list[list[tuple[int, int]]] = [[] for _ in range(graph.num_variables)]  # (table, axis)
        for local in local_tables(graph, observed):
            if not local.scope:
                self.constant += float(local.log_potentials)
                continue
            for axis, variable in enumerate(local.scope):
                self.at[variable].append((len(self.tables), axis))
            self.tables.append(_Split.of(local))
        self.soft = all(table.forbidden is None for table in self.tables)

    def run(self, start: Sequence[Floats], iterations: int, tolerance: float) -> MeanFieldResult:
        """Update one variable after another until nothing changes."""
        beliefs = [belief.copy() for belief in start]
        for variable, state in self.observed.items():
            beliefs[variable] = np.eye(len(beliefs[variable]))[state]
        free = [v for v in range(len(beliefs)) if v not in self.observed]
        change, sweeps = np.inf, 0
        while sweeps < iterations and change > tolerance:
            change = 0.0
            sweeps += 1
            for variable in free:
                new = self._update(variable, beliefs)
                change = max(change, float(np.abs(new - beliefs[variable]).max()))
                beliefs[variable] = new
        flat = np.concatenate([np.zeros(0), *beliefs])
        return MeanFieldResult(self.graph, self._bound(beliefs), flat, change <= tolerance, sweeps)

    def _update(self, variable: int, beliefs: Sequence[Floats]) -> Floats:
        energy = np.zeros(len(beliefs[variable]))
        for table, axis in self.at[variable]:
            energy += self.tables[table].expected(beliefs, axis)
        weights = np.exp(energy - energy.max())
        return np.asarray(weights / weights.sum())

    def _bound(self, beliefs: Sequence[Floats]) -> float:
        total = self.constant
        for table in self.tables:
            first = beliefs[table.scope[0]]
            some = first > 0.0
            total += float(table.expected(beliefs, 0)[some] @ first[some])
        for belief in beliefs:
            total -= float((belief * np.log(np.where(belief > 0.0, belief, 1.0))).sum())
        return total


@frozen(eq=False)
class _Split:
    """A table as its finite entries, 0 elsewhere, and where it is -inf (None: nowhere)."""

    scope: tuple[int, ...] = field()
    finite: Floats = field()
    forbidden: Floats | None = field()

    @classmethod
    def of(cls, table: LocalTable) -> "_Split":
        zero = table.log_potentials == -np.inf
        finite = np.where(zero, 0.0, table.log_potentials)
        return cls(table.scope, finite, zero.astype(np.float64) if zero.any() else None)

    def expected(self, beliefs: Sequence[Floats], kept: int) -> Floats:
        """Return E[table | y_kept = s] for each s; -inf where that has an outcome that the table forbids."""
        others = [beliefs[variable] for variable in self.scope]
        result = _contract(self.finite, others, kept)
        if self.forbidden is not None:
            possible = [(belief > 0.0).astype(np.float64) for belief in others]
            result = np.where(_contract(self.forbidden, possible, kept) > 0.0, -np.inf, result)
        return result


def _contract(values: Floats, weights: Sequence[Floats], kept: int) -> Floats:
    """Sum over all axes but one, with a weight for each entry of an axis."""
    for axis in range(values.ndim - 1, kept, -1):
        values = values @ weights[axis]
    for axis in range(kept):
        values = (weights[axis] @ values.reshape(len(values), -1)).reshape(values.shape[1:])
    return values

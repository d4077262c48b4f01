"""Fractional belief propagation: a counting number for every factor."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from autodiff.validators import number, plain, whole
from pgm.belief_propagation import as_schedule, propagate, warn_of_no_iterations
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.message_passing import MessagePassing
from pgm.result import BeliefResult
from pgm.schedules import Parallel, Plan, Schedule

__all__ = ["FractionalBeliefPropagation"]


@frozen(kw_only=True)
class FractionalBeliefPropagation(Inference):
    """Belief propagation for the free energy with the entropy Σ_α c_α H(b_α) + Σ_i (1 - Σ_{α ∋ i} c_α) H(b_i).

    With c = 1 it is belief propagation, and exact on a graph without cycles.  Smaller counting numbers trust cycles
    less; for those of `TreeReweighted` the log-partition is an upper bound; as they grow, beliefs go towards mean
    field.  A factor with ψ^(1/c) hears log n_{i→α} = Σ_β c_β log m_{β→i} - log m_{α→i}.

    The potentials of a factor are scaled by 1/c, which is ψ^(1/c) for every factor but a `HypergraphFactor` with
    several derivations for one assignment.

    Parameters
    ----------
    counting : c > 0 of all factors of two or more variables, or {family: one number, or (F,) of them}; factors that
        are left out, and those of one variable, have 1
    iterations, tolerance, damping, schedule : as for `BeliefPropagation`

    References
    ----------
    Wiegerinck & Heskes (2003), Fractional belief propagation; Heskes (2006), Convexity arguments.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 3)
    >>> triangle = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], [[1.0, 0.0], [0.0, 1.0]]))
    >>> half = FractionalBeliefPropagation(counting={triangle: 2 / 3}).run(graph)
    >>> half.converged, bool(half.log_partition > np.log(2 * np.exp(3) + 6 * np.exp(1)))  # the exact one
    (True, True)
    """

    counting: float | Mapping[Factor, ArrayLike] = field(default=1.0)
    iterations: int = field(default=1000, converter=plain, validator=whole(0))
    tolerance: float = field(default=1e-8, converter=plain, validator=number(least=0))
    damping: float = field(default=0.0, converter=plain, validator=number(least=0, below=1))
    schedule: Schedule = field(default=Parallel(), converter=as_schedule)

    def run(self, graph: FactorGraph, *, evidence: Any = None) -> BeliefResult:
        """Pass messages until they settle, or the iterations are used up; the result says which.

        Raises
        ------
        FactorGraphError
            If the counting numbers are not positive, or do not fit the graph.
        ContradictionError
            If nothing satisfies all factors and the evidence, as far as messages tell.
        """
        warn_of_no_iterations(self.iterations)
        plan: Plan = graph.derived(self.schedule, lambda: self.schedule.plan(graph))
        passing = MessagePassing(
            plan.layout,
            evidence=graph.evidence(evidence),
            damping=self.damping,
            counting=_by_family(graph, self.counting),
        )
        return propagate(plan, passing, self.iterations, self.tolerance)

    @classmethod
    def examples(cls) -> Iterable["FractionalBeliefPropagation"]:
        """Yield counting numbers of 1, which is belief propagation."""
        yield cls(tolerance=1e-12)


def _by_family(graph: FactorGraph, counting: float | Mapping[Factor, ArrayLike]) -> list[Floats]:
    """Return (F,) for each family of the graph."""
    if isinstance(counting, Mapping):
        for family in counting:
            if not any(family is own for own in graph.families):
                raise FactorGraphError(f"counting: {family!r} is not a family of this graph")
    result = []
    for family in graph.families:
        given: Any = counting.get(family, 1.0) if isinstance(counting, Mapping) else counting
        if family.degree == 1 and not (isinstance(counting, Mapping) and family in counting):
            given = 1.0
        numbers = as_floats(given, "counting", FactorGraphError)
        if numbers.shape not in ((), (family.num_factors,)):
            raise FactorGraphError(
                f"counting: {family!r} takes one number, or {family.num_factors} of them; not shape {numbers.shape}"
            )
        if not ((numbers > 0) & (numbers < np.inf)).all():
            raise FactorGraphError(f"counting: {family!r} has {numbers.min()}; they are positive and finite")
        result.append(np.array(np.broadcast_to(numbers, (family.num_factors,))))
    return result

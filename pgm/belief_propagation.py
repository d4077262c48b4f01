"""Belief propagation: sum-product or max-product, with any schedule."""

import warnings
from typing import Any, Literal

import numpy as np
from attrs import field, frozen

from autodiff.validators import number, one_of, plain, whole
from pgm.errors import InferenceWarning
from pgm.graph import FactorGraph
from pgm.message_passing import MessagePassing
from pgm.result import BeliefResult
from pgm.schedules import Parallel, Plan, Residual, Schedule, SpanningTree

__all__ = ["BeliefPropagation", "as_schedule", "propagate", "warn_of_no_iterations"]


def as_schedule(schedule: Schedule | str) -> Schedule:
    """Return a schedule, given one or the name "parallel", "tree" or "residual"."""
    if isinstance(schedule, str):
        known: dict[str, Schedule] = {"parallel": Parallel(), "tree": SpanningTree(), "residual": Residual()}
        if schedule not in known:
            raise ValueError(f"schedule is one of {sorted(known)}, or a Schedule of your own; not {schedule!r}")
        return known[schedule]
    if not isinstance(schedule, Schedule):
        raise TypeError(f"schedule is a name or a Schedule, not {schedule!r}")
    return schedule


def warn_of_no_iterations(iterations: int) -> None:
    """Warn where no messages are passed between variables."""
    if iterations == 0:
        warnings.warn(
            "iterations=0: no messages are passed, so beliefs know of factors of one variable only; give at least 1",
            InferenceWarning,
            stacklevel=3,
        )


def propagate(plan: Plan, passing: MessagePassing, iterations: int, tolerance: float) -> BeliefResult:
    """Pass messages until they change by no more than the tolerance, or the iterations are used up."""
    plan.start(passing)
    residuals: list[float] = []
    converged = False
    for _ in range(iterations):
        residuals.append(plan.iterate(passing))
        converged = residuals[-1] <= tolerance and tolerance > 0
        if converged:
            break
    passing.beliefs()  # a contradiction is an error here, not when the result is read
    return BeliefResult(passing, plan, converged, len(residuals), np.array(residuals))


@frozen(kw_only=True)
class BeliefPropagation:
    """Belief propagation on any factor graph.

    Parameters
    ----------
    iterations : at most so many; 0 passes only the messages of factors of one variable, and warns
    tolerance : stop when no message changes by more (0: never stop early)
    damping : in [0, 1), the weight of the old message in the new one, in the log domain
    schedule : "parallel", "tree" (exact on trees in one iteration), "residual", or a `Schedule`
    mode : "sum" for marginals, "max" for the best assignment

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> chain = graph.variables("x", shape=(5,))
    >>> table = graph.add(Table(chain[[[0, 1], [1, 2], [2, 3], [3, 4]]], [[1.0, 0.0], [0.0, 1.0]]))
    >>> result = BeliefPropagation(schedule="tree").run(graph, evidence={chain[0]: 1})
    >>> result.belief(chain).round(3)[:, 1]
    array([1.   , 0.731, 0.607, 0.549, 0.523])
    >>> result.converged, result.iterations
    (True, 2)
    """

    iterations: int = field(default=100, converter=plain, validator=whole(0))
    tolerance: float = field(default=1e-8, converter=plain, validator=number(least=0))
    damping: float = field(default=0.0, converter=plain, validator=number(least=0, below=1))
    schedule: Schedule = field(default=Parallel(), converter=as_schedule)
    mode: Literal["sum", "max"] = field(default="sum", validator=one_of("sum", "max"))

    def run(self, graph: FactorGraph, *, evidence: Any = None) -> BeliefResult:
        """Pass messages until they settle, or the iterations are used up; the result says which.

        Parameters
        ----------
        evidence : observed states, {variable: state} by names or numbers, also of arrays; see `pgm.evidence`

        Raises
        ------
        ContradictionError
            If nothing satisfies all factors and the evidence, as far as messages tell; names the factor.  On a graph
            without cycles messages tell as soon as they have settled; on others a contradiction may go unseen.
        """
        warn_of_no_iterations(self.iterations)
        plan: Plan = graph.derived(self.schedule, lambda: self.schedule.plan(graph))
        passing = MessagePassing(plan.layout, evidence=graph.evidence(evidence), mode=self.mode, damping=self.damping)
        return propagate(plan, passing, self.iterations, self.tolerance)

"""Belief propagation: sum-product or max-product, with any schedule."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from attrs import evolve, field, frozen

from autodiff.array_types import Floats
from autodiff.validators import number, one_of, plain, whole
from pgm.errors import InferenceWarning, UnavailableError
from pgm.graph import FactorGraph
from pgm.inference import DifferentiableInference, check_potentials
from pgm.message_passing import MessagePassing
from pgm.result import BeliefResult
from pgm.schedules import BY_NAME, Parallel, Plan, Schedule

__all__ = ["BeliefPropagation", "as_schedule", "propagate", "warn_of_no_iterations"]


def as_schedule(schedule: Schedule | str) -> Schedule:
    """Return a schedule, given one or the name "parallel", "serial" or "residual"."""
    if isinstance(schedule, str):
        if schedule not in BY_NAME:
            raise ValueError(f"schedule is one of {sorted(BY_NAME)}, or a Schedule of your own; not {schedule!r}")
        return BY_NAME[schedule]
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
    """Pass messages until they change by no more than the tolerance, or the iterations are used up.

    A recorded run uses them all: what can be gone back through is a fixed number of iterations.
    """
    may_stop = tolerance > 0 and not passing.record
    plan.start(passing)
    residuals: list[float] = []
    converged = False
    for left in range(iterations - 1, -1, -1):
        passing.track = may_stop or left == 0
        change = plan.iterate(passing)
        residuals.append(change if passing.track else np.nan)
        converged = tolerance > 0 and change <= tolerance and passing.track
        if converged:
            break
    beliefs = passing.beliefs()  # a contradiction is an error here, not when the result is read
    return BeliefResult(passing, plan, beliefs, converged, len(residuals), np.array(residuals))


@frozen(kw_only=True)
class BeliefPropagation(DifferentiableInference):
    """Belief propagation on any factor graph.

    Parameters
    ----------
    iterations : at most so many; 0 passes only the messages of factors of one variable, and warns
    tolerance : stop when no message changes by more (0: never stop early)
    damping : in [0, 1), the weight of the old message in the new one, in the log domain
    schedule : "parallel", "serial" (exact on trees in one iteration), "residual", or a `Schedule`
    mode : "sum" for marginals, "max" for the best assignment

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> chain = graph.variables("x", shape=(5,))
    >>> table = graph.add(Table(chain[[[0, 1], [1, 2], [2, 3], [3, 4]]], [[1.0, 0.0], [0.0, 1.0]]))
    >>> result = BeliefPropagation(schedule="serial").run(graph, evidence={chain[0]: 1})
    >>> result.belief(chain).round(3)[:, 1]
    array([1.   , 0.731, 0.607, 0.549, 0.523])
    >>> result.converged, result.iterations
    (True, 2)

    The gradient of a function of the beliefs, through a fixed number of iterations:

    >>> result = BeliefPropagation(iterations=1, schedule="serial").run(graph, record=True)
    >>> result.backward(beliefs=[0, 1, *[0] * 8])[table][0].round(3)
    array([[-0.183, -0.067],
           [ 0.067,  0.183]])
    """

    iterations: int = field(default=100, converter=plain, validator=whole(0))
    tolerance: float = field(default=1e-8, converter=plain, validator=number(least=0))
    damping: float = field(default=0.0, converter=plain, validator=number(least=0, below=1))
    schedule: Schedule = field(default=Parallel(), converter=as_schedule)
    mode: Literal["sum", "max"] = field(default="sum", validator=one_of("sum", "max"))

    def run(
        self,
        graph: FactorGraph,
        *,
        evidence: Any = None,
        potentials: Sequence[Floats | None] | None = None,
        record: bool = False,
    ) -> BeliefResult:
        """Pass messages until they settle, or the iterations are used up; the result says which.

        Parameters
        ----------
        evidence : observed states, {variable: state} by names or numbers, also of arrays; see `pgm.evidence`
        potentials : for each family of the graph an array used in place of its own log-potentials, or None
        record : run all iterations, settled or not, and keep what `backward` of the result needs to go back

        Raises
        ------
        ContradictionError
            If nothing satisfies all factors and the evidence, as far as messages tell; names the factor.  On a graph
            without cycles messages tell as soon as they have settled; on others a contradiction may go unseen.
        UnavailableError
            If max-product is to be recorded.
        """
        warn_of_no_iterations(self.iterations)
        if record and self.mode == "max":
            raise UnavailableError("max-product cannot go back; record a run of BeliefPropagation(mode='sum')")
        plan: Plan = graph.derived(self.schedule, lambda: self.schedule.plan(graph))
        passing = MessagePassing(
            plan.layout,
            potentials=None if potentials is None else check_potentials(graph, potentials),
            evidence=graph.evidence(evidence),
            mode=self.mode,
            damping=self.damping,
            record=record,
        )
        return propagate(plan, passing, self.iterations, self.tolerance)

    def maximising(self) -> "BeliefPropagation":
        """Return max-product."""
        return evolve(self, mode="max")

    @classmethod
    def examples(cls) -> Iterable["BeliefPropagation"]:
        """Yield sum-product by each schedule."""
        yield cls(schedule="serial", iterations=2)
        yield cls(tolerance=1e-12)
        yield cls(schedule="residual", tolerance=1e-12)

"""Deterministic annealing: sum-product while the temperature falls (Smith & Eisner 2008, footnote 24)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.validators import number, plain, whole
from pgm.assignments import likeliest, one_by_one
from pgm.belief_propagation import as_schedule
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.inference_result import InferenceResult
from pgm.message_passing import MessagePassing
from pgm.schedules import Parallel, Plan, Schedule

__all__ = ["AnnealingResult", "DeterministicAnnealing"]


@frozen(eq=False)
class AnnealingResult(InferenceResult):
    """The assignment in which annealing ended.

    Attributes
    ----------
    score : its log-potential; -inf if a factor forbids it
    temperatures : (steps,) through which annealing went
    """

    graph: FactorGraph = field(repr=False)
    _assignment: NDArray[np.int64] = field()
    score: float = field()
    temperatures: NDArray[np.float64] = field(repr=False)

    def assignment(self) -> NDArray[np.int64]:
        """Return (variables,) state numbers."""
        return self._assignment


@frozen(kw_only=True)
class DeterministicAnnealing(Inference):
    """Belief propagation on ψ^(1/T), with T falling from `hot` to `cold` in equal ratios; messages are carried over.

    At T → 0 sum-product becomes max-product; a slow fall often ends in a good local optimum.

    Parameters
    ----------
    hot, cold : first and last temperature
    steps : the number of temperatures
    iterations : of belief propagation at each

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", shape=(3,))
    >>> tables = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], [[0.0, 1.0], [1.0, 0.5]]))
    >>> DeterministicAnnealing().run(graph, evidence={x[0]: 0}).assignment()
    array([0, 1, 1])
    """

    hot: float = field(default=4.0, converter=plain, validator=number(above=0))
    cold: float = field(default=0.05, converter=plain, validator=number(above=0))
    steps: int = field(default=30, converter=plain, validator=whole(1))
    iterations: int = field(default=3, converter=plain, validator=whole(1))
    damping: float = field(default=0.2, converter=plain, validator=number(least=0, below=1))
    schedule: Schedule = field(default=Parallel(), converter=as_schedule)

    def run(self, graph: FactorGraph, *, evidence: Any = None) -> AnnealingResult:
        """Anneal, and take the state of greatest belief of each variable; one by one where these do not go together.

        Raises
        ------
        ContradictionError
            If nothing satisfies all factors and the evidence, as far as messages tell.
        """
        plan: Plan = graph.derived(self.schedule, lambda: self.schedule.plan(graph))
        passing = MessagePassing(plan.layout, evidence=graph.evidence(evidence), damping=self.damping, plain=True)
        temperatures = np.geomspace(self.hot, self.cold, self.steps)
        for temperature in temperatures:
            passing.heat(float(temperature))
            plan.start(passing)
            for _ in range(self.iterations):
                plan.iterate(passing)
        assignment = likeliest(passing)
        score = graph.score(assignment)
        if score == -np.inf:  # states that do not go together: settle on one variable after another
            assignment = one_by_one(passing, plan)
            score = graph.score(assignment)
        return AnnealingResult(graph, assignment, score, temperatures)

    @classmethod
    def examples(cls) -> Iterable["DeterministicAnnealing"]:
        """Yield few temperatures."""
        yield cls(steps=10)

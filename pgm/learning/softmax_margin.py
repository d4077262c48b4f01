"""Softmax-margin: likelihood in a model where what is wrong is made more attractive (Gimpel & Smith 2010)."""

import copy
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.conversion import as_floats, as_number
from pgm.belief_propagation import BeliefPropagation
from pgm.exact import JunctionTree
from pgm.factors.table import Table
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.learning._log_partitions import LogPartition, difference, gold_score, log_partition
from pgm.learning.errors import GoldError
from pgm.learning.example import Example, state_starts
from pgm.learning.objective import Evaluation, Objective

__all__ = ["SoftmaxMargin"]

Floats = NDArray[np.float64]


@frozen
class SoftmaxMargin(Objective):
    """log Σ_y exp(score(y) + cost(y, gold)) - score(gold): the model must like gold by a margin of the cost.

    The cost is a sum over variables, so it enters inference as one more factor at each of them.

    Parameters
    ----------
    inference : `BeliefPropagation` or an exact method
    cost : of each variable in a wrong state (Hamming loss); or a function of an example that returns the costs of all
        states of all variables in one array (states,)
    approximation_aware : see `ConditionalLogLikelihood`

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.25, 0.75])))
    >>> evaluation = SoftmaxMargin(cost=np.log(3)).evaluate(Example(graph, [1]))
    >>> evaluation.adjoints
    [array([[ 0.5, -0.5]])]
    """

    inference: Inference = field(default=BeliefPropagation())
    cost: float | Callable[[Example], Any] = field(default=1.0, kw_only=True)
    approximation_aware: bool = field(default=False, kw_only=True)

    least_loss: ClassVar[float] = 0.0

    def evaluate(self, example: Example, *, progress: float = 0.0) -> Evaluation:
        """Return the loss and its gradient."""
        graph = example.graph
        gold = gold_score(example, type(self).__name__)
        costs = self._costs(example)
        augmented, tables = graph.derived(SoftmaxMargin, lambda: _with_unaries(graph))
        start = state_starts(graph)
        for table in tables:
            table.log_potentials = costs[start[table.variables] + np.arange(table.cardinalities[0])]
        everything = log_partition(self.inference, augmented, example.observed, through=self.approximation_aware)
        own = LogPartition(everything.value, everything.gradient[: len(graph.families)], everything.converged)
        loss, gradient = difference(own, gold)
        return Evaluation(loss - float(costs[start[:-1] + example.gold].sum()), gradient, own.converged)

    def _costs(self, example: Example) -> Floats:
        start = state_starts(example.graph)
        if callable(self.cost):
            costs = as_floats(self.cost(example), "SoftmaxMargin: what cost returns", GoldError)
            if costs.shape != (start[-1],) or not np.isfinite(costs).all():
                raise GoldError(f"cost gives {costs.shape} numbers; finite costs of all {start[-1]} states are due")
            return costs
        costs = np.full(int(start[-1]), as_number(self.cost, "SoftmaxMargin: cost", least=0))
        costs[start[:-1] + example.gold] = 0.0
        return costs

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield exact inference, converged beliefs, and few iterations gone back through."""
        yield cls(JunctionTree(), cost=0.7)
        yield cls(BeliefPropagation(iterations=500, tolerance=1e-13))
        yield cls(BeliefPropagation(iterations=2, damping=0.2), approximation_aware=True)


def _with_unaries(graph: FactorGraph) -> tuple[FactorGraph, list[Table]]:
    """Return a graph with a table more at each variable, and those tables, a family for each number of states."""
    augmented = copy.copy(graph)
    tables = [
        Table(np.flatnonzero(graph.cardinalities == cardinality)[:, None], np.zeros(cardinality), name="cost")
        for cardinality in np.unique(graph.cardinalities).tolist()
    ]
    augmented.families = [*graph.families, *tables]
    return augmented, tables

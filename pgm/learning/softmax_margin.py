"""Softmax-margin: likelihood in a model where what is wrong is made more attractive (Gimpel & Smith 2010)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from attrs.validators import instance_of

from autodiff.array_types import Floats
from autodiff.conversion import as_number
from autodiff.named import setting
from pgm.learning.errors import GoldError
from pgm.learning.instance import Instance
from pgm.learning.objective import Objective, ObjectiveValue, subtract

__all__ = ["SoftmaxMargin"]


def _as_cost(given: Any) -> Any:
    return given if callable(given) else as_number(given, "SoftmaxMargin: cost", ValueError, least=0)


@frozen
class SoftmaxMargin(Objective):
    """log Σ_y exp(score(y) + cost(y, gold)) - score(gold): the model must like gold by a margin of the cost.

    Parameters
    ----------
    cost : of each event that is in an answer and wrong (Hamming loss); or a function of an instance that returns the
        costs of all events in one array (B,)
    approximation_aware : see `ConditionalLogLikelihood`

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.25, 0.75])))
    >>> instance = GraphModel().instance((graph, [1]))
    >>> SoftmaxMargin(cost=np.log(3)).evaluate(instance, {table: table.potentials}).adjoints[table]
    array([[ 0.5, -0.5]])
    """

    cost: float | Callable[[Any], Any] = setting(
        default=1.0, converter=_as_cost, kw_only=True, help="Of each event in an answer that is wrong."
    )
    approximation_aware: bool = setting(
        default=False, validator=instance_of(bool), kw_only=True, help="Differentiate the steps of inference exactly."
    )

    name: ClassVar[str] = "softmax-margin"
    least_loss: ClassVar[float] = 0.0

    def evaluate(self, instance: Instance, scores: Mapping[Any, Floats], *, progress: float = 0.0) -> ObjectiveValue:
        """Return the loss and its gradient."""
        gold, gold_parts = instance.gold_score(scores, type(self).__name__)
        costs = self._costs(instance)
        run = instance.run(scores, costs=costs, record=self.approximation_aware)
        expected = run.backward(log_partition=1.0) if self.approximation_aware else run.part_beliefs
        of_gold = float(costs @ instance.right)
        return ObjectiveValue(run.log_partition - gold - of_gold, subtract(expected, gold_parts), run.converged)

    def _costs(self, instance: Instance) -> Floats:
        if not callable(self.cost):
            return instance.hamming(self.cost)
        costs = instance.checked_costs(self.cost(instance))
        if not np.isfinite(costs).all():
            raise GoldError("SoftmaxMargin: cost returns numbers that are not finite; costs of all events must be")
        return costs

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield costs of two sizes."""
        yield cls(cost=0.7)
        yield cls(approximation_aware=True)

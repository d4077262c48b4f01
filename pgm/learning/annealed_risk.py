"""Expected loss of a decoder that is made differentiable by a temperature."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar

from attrs import field, frozen
from attrs.validators import optional

from autodiff.array_types import Floats
from autodiff.conversion import as_number
from autodiff.named import setting
from autodiff.validators import number, plain
from pgm.learning.instance import Instance
from pgm.learning.objective import Objective, ObjectiveValue

__all__ = ["AnnealedRisk"]


@frozen
class AnnealedRisk(Objective):
    """Σ (1 - q(e)) over the right events e: the expected errors of a soft decoder, through all of inference.

    q are the marginals of a distribution over the instance's output space at temperature T.  As T falls, the risk
    approaches the true loss of the decoder that is used at test time; but for a constant it is the negated expected
    recall (Gormley et al. 2015, eqs 10 and 11).  Start from a model that is trained by `L2Distance`: the risk is far
    from convex.

    Parameters
    ----------
    temperature, final_temperature : it falls linearly from the one to the other in the course of training; None: it
        stays.  The defaults are those of Gormley et al. (2015, §7.1)
    recall_of : the states of variables that count where they are right, such as [1] for arcs that are on; by default
        those that the model says

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.4, 0.6])))
    >>> instance, scores = GraphModel().instance((graph, [1])), {table: table.potentials}
    >>> [round(AnnealedRisk(temperature=t).evaluate(instance, scores).loss, 4) for t in (1.0, 0.1, 0.01)]
    [0.4, 0.017, 0.0]
    """

    temperature: float = setting(
        default=0.1, converter=plain, validator=number(above=0), kw_only=True, help="Of the soft decoder, at first."
    )
    final_temperature: float | None = setting(
        default=0.0001, converter=plain, validator=optional(number(above=0)), kw_only=True, help="The same, at the end."
    )
    recall_of: Collection[int] | None = field(default=None, kw_only=True)

    name: ClassVar[str] = "risk"

    def evaluate(self, instance: Instance, scores: Mapping[Any, Floats], *, progress: float = 0.0) -> ObjectiveValue:
        """Return the loss and its gradient."""
        run = instance.run(scores, record=True)
        marginals, backward = instance.space.soften(run.beliefs, self._temperature(progress))
        right = instance.recalled(self.recall_of)
        loss = float(right @ (1.0 - marginals))
        return ObjectiveValue(loss, run.backward(beliefs=backward(-right)), run.converged)

    def _temperature(self, progress: float) -> float:
        progress = as_number(progress, "AnnealedRisk: progress", least=0)
        final = self.temperature if self.final_temperature is None else self.final_temperature
        return (1.0 - progress) * self.temperature + progress * final

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield warm temperatures, at which finite differences can follow."""
        yield cls(temperature=0.5)
        yield cls(temperature=1.0)

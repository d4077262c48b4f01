"""Conditional log-likelihood, exact or (where inference is not) its Bethe surrogate."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from attrs import frozen
from attrs.validators import instance_of

from autodiff.array_types import Floats
from autodiff.named import setting
from pgm.learning.instance import Instance
from pgm.learning.objective import Objective, ObjectiveValue, subtract

__all__ = ["ConditionalLogLikelihood"]


@frozen
class ConditionalLogLikelihood(Objective):
    """-log p(gold | input) = log Z - score(gold); its gradient is the beliefs in parts minus the gold parts.

    Where inference is exact, that is the true likelihood, and the gradient by the weights of a log-linear model is
    expected minus observed features.  With loopy belief propagation, Z is Bethe's: the surrogate likelihood (Wainwright
    2006; "CLL" in Gormley et al. 2015, §6), which takes beliefs for marginals.  That is the gradient of the loss once
    belief propagation has converged; after few iterations it is not, unless `approximation_aware` says to go back
    through the iterations.

    Parameters
    ----------
    approximation_aware : differentiate the Bethe log-partition after just so many iterations, exactly

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.25, 0.75])))
    >>> instance = GraphModel().instance((graph, [1]))
    >>> evaluation = ConditionalLogLikelihood().evaluate(instance, {table: table.potentials})
    >>> round(float(np.exp(-evaluation.loss)), 9), evaluation.adjoints[table]
    (0.75, array([[ 0.25, -0.25]]))
    """

    approximation_aware: bool = setting(
        default=False, validator=instance_of(bool), kw_only=True, help="Differentiate the steps of inference exactly."
    )

    name: ClassVar[str] = "cll"
    least_loss: ClassVar[float] = 0.0

    def evaluate(self, instance: Instance, scores: Mapping[Any, Floats], *, progress: float = 0.0) -> ObjectiveValue:
        """Return the loss and its gradient."""
        gold, gold_parts = instance.gold_score(scores, type(self).__name__)
        run = instance.run(scores, record=self.approximation_aware)
        expected = run.backward(log_partition=1.0) if self.approximation_aware else run.part_beliefs
        return ObjectiveValue(run.log_partition - gold, subtract(expected, gold_parts), run.converged)

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield both gradients."""
        yield cls()
        yield cls(approximation_aware=True)

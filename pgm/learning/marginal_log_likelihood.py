"""Likelihood of what is known to be right, summed over the rest."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from attrs import frozen
from attrs.validators import instance_of

from autodiff.array_types import Floats
from autodiff.named import setting
from pgm.learning.instance import Instance
from pgm.learning.objective import Objective, ObjectiveValue, subtract

__all__ = ["MarginalLogLikelihood"]


@frozen
class MarginalLogLikelihood(Objective):
    """-log Σ_latent p(gold, latent | input) = log Z - log Z(gold).

    Inference runs twice: as it is, and with what is known clamped.  The gradient is the difference of the beliefs.

    Parameters
    ----------
    approximation_aware : see `ConditionalLogLikelihood`

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> topic, word = graph.variable("topic"), graph.variable("word")
    >>> table = graph.add(Table([topic, word], np.log([[0.1, 0.2], [0.3, 0.4]])))
    >>> instance = GraphModel().instance((graph, {word: 1}))
    >>> evaluation = MarginalLogLikelihood().evaluate(instance, {table: table.potentials})
    >>> round(float(np.exp(-evaluation.loss)), 9)
    0.6
    >>> evaluation.adjoints[table].round(3)
    array([[[ 0.1  , -0.133],
            [ 0.3  , -0.267]]])
    """

    approximation_aware: bool = setting(
        default=False, validator=instance_of(bool), kw_only=True, help="Differentiate the steps of inference exactly."
    )

    name: ClassVar[str] = "mll"
    least_loss: ClassVar[float] = 0.0

    def evaluate(self, instance: Instance, scores: Mapping[Any, Floats], *, progress: float = 0.0) -> ObjectiveValue:
        """Return the loss and its gradient."""
        aware = self.approximation_aware
        every, known = (instance.run(scores, clamped=clamped, record=aware) for clamped in (False, True))
        expected = [run.backward(log_partition=1.0) if aware else run.part_beliefs for run in (every, known)]
        converged = None if every.converged is None else bool(every.converged and known.converged)
        return ObjectiveValue(every.log_partition - known.log_partition, subtract(*expected), converged)

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield both gradients."""
        yield cls()
        yield cls(approximation_aware=True)

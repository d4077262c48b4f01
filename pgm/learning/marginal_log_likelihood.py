"""Likelihood of the variables whose right state is known, summed over the others."""

from collections.abc import Iterable
from typing import ClassVar

from attrs import field, frozen

from pgm.belief_propagation import BeliefPropagation
from pgm.exact import JunctionTree
from pgm.inference import Inference
from pgm.learning._log_partitions import difference, log_partition
from pgm.learning.example import Example
from pgm.learning.objective import Evaluation, Objective

__all__ = ["MarginalLogLikelihood"]


@frozen
class MarginalLogLikelihood(Objective):
    """-log Σ_latent p(gold, latent | evidence) = log Z - log Z(gold).

    Inference runs twice: as it is, and with the known variables clamped.  The gradient is the difference of the
    beliefs.

    Parameters
    ----------
    inference : `BeliefPropagation` or an exact method
    approximation_aware : see `ConditionalLogLikelihood`

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> topic, word = graph.variable("topic"), graph.variable("word")
    >>> table = graph.add(Table([topic, word], np.log([[0.1, 0.2], [0.3, 0.4]])))
    >>> evaluation = MarginalLogLikelihood().evaluate(Example(graph, {word: 1}))
    >>> round(float(np.exp(-evaluation.loss)), 9)
    0.6
    >>> evaluation.adjoints[0].round(3)
    array([[[ 0.1  , -0.133],
            [ 0.3  , -0.267]]])
    """

    inference: Inference = field(default=BeliefPropagation())
    approximation_aware: bool = field(default=False, kw_only=True)

    least_loss: ClassVar[float] = 0.0

    def evaluate(self, example: Example, *, progress: float = 0.0) -> Evaluation:
        """Return the loss and its gradient."""
        graph, through = example.graph, self.approximation_aware
        everything = log_partition(self.inference, graph, example.observed, through=through)
        clamped = log_partition(self.inference, graph, example.clamped, through=through)
        converged = None if everything.converged is None else bool(everything.converged and clamped.converged)
        return Evaluation(*difference(everything, clamped), converged)

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield exact inference, converged beliefs, and few iterations gone back through."""
        yield cls(JunctionTree())
        yield cls(BeliefPropagation(iterations=500, tolerance=1e-13))
        yield cls(BeliefPropagation(iterations=2), approximation_aware=True)

"""Conditional log-likelihood, exact or (where inference is not) its Bethe surrogate."""

from collections.abc import Iterable
from typing import ClassVar

from attrs import field, frozen

from pgm.belief_propagation import BeliefPropagation
from pgm.exact import JunctionTree
from pgm.inference import Inference
from pgm.learning._log_partitions import difference, gold_score, log_partition
from pgm.learning.example import Example
from pgm.learning.objective import Evaluation, Objective

__all__ = ["ConditionalLogLikelihood"]


@frozen
class ConditionalLogLikelihood(Objective):
    """-log p(gold | evidence) = log Z - score(gold); its gradient is the beliefs of factors minus the gold entries.

    With `JunctionTree()`, or belief propagation on a tree, that is the true likelihood, and the gradient by the weights
    of `LogLinear` tables is expected minus observed features.  With loopy belief propagation, Z is Bethe's: the
    surrogate likelihood (Wainwright 2006; "CLL" in Gormley et al. 2015, §6), which takes beliefs for marginals.  That
    is the gradient of the loss once belief propagation has converged; after few iterations it is not, unless
    `approximation_aware` says to go back through the iterations.

    Parameters
    ----------
    inference : `BeliefPropagation` or an exact method
    approximation_aware : differentiate the Bethe log-partition after just so many iterations, exactly

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.25, 0.75])))
    >>> evaluation = ConditionalLogLikelihood().evaluate(Example(graph, [1]))
    >>> round(float(np.exp(-evaluation.loss)), 9), evaluation.adjoints
    (0.75, [array([[ 0.25, -0.25]])])
    """

    inference: Inference = field(default=BeliefPropagation())
    approximation_aware: bool = field(default=False, kw_only=True)

    least_loss: ClassVar[float] = 0.0

    def evaluate(self, example: Example, *, progress: float = 0.0) -> Evaluation:
        """Return the loss and its gradient."""
        gold = gold_score(example, type(self).__name__)
        everything = log_partition(self.inference, example.graph, example.observed, through=self.approximation_aware)
        return Evaluation(*difference(everything, gold), everything.converged)

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield exact inference, converged beliefs, and few iterations gone back through."""
        yield cls(JunctionTree())
        yield cls(BeliefPropagation(iterations=500, tolerance=1e-13))
        yield cls(BeliefPropagation(iterations=2), approximation_aware=True)
        yield cls(BeliefPropagation(iterations=2, schedule="serial", damping=0.3), approximation_aware=True)

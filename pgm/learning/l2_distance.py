"""Squared distance between beliefs and what they should be."""

from collections.abc import Iterable

import numpy as np
from attrs import field, frozen

from pgm.belief_propagation import BeliefPropagation
from pgm.learning._belief_losses import beliefs_of
from pgm.learning.example import Example, state_starts
from pgm.learning.objective import Evaluation, Objective, sum_product

__all__ = ["L2Distance"]


@frozen
class L2Distance(Objective):
    """Σ_i Σ_y (b_i(y) - b*_i(y))², with the gradient through every iteration (Gormley et al. 2015, eq. 12).

    So the model learns to give good beliefs after just so many iterations, whether or not they have converged.  The
    targets b* are 1 for the gold state and 0 for the others, or an example's own `targets`.  Variables without a gold
    state, and observed ones, do not count.

    Parameters
    ----------
    inference : its number of iterations, schedule and damping count; its tolerance does not

    Examples
    --------
    >>> import numpy as np
    >>> from pgm import FactorGraph
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.25, 0.75])))
    >>> evaluation = L2Distance(BeliefPropagation(iterations=1)).evaluate(Example(graph, [1]))
    >>> round(evaluation.loss, 9), evaluation.adjoints[0].round(4)
    (0.125, array([[ 0.1875, -0.1875]]))
    """

    inference: BeliefPropagation = field(default=BeliefPropagation(iterations=10), validator=sum_product)

    def evaluate(self, example: Example, *, progress: float = 0.0) -> Evaluation:
        """Return the loss and its gradient."""
        beliefs, backward = beliefs_of(self.inference, example)
        if example.targets is not None:
            distance = beliefs - example.targets
        else:
            start = state_starts(example.graph)
            counts = (example.gold >= 0) & (example.evidence < 0)
            distance = np.where(np.repeat(counts, example.graph.cardinalities), beliefs, 0.0)
            distance[(start[:-1] + example.gold)[counts]] -= 1.0
        return Evaluation(float(distance @ distance), backward(2.0 * distance))

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield few iterations of each schedule with a fixed order."""
        yield cls(BeliefPropagation(iterations=2))
        yield cls(BeliefPropagation(iterations=3, schedule="serial", damping=0.3))

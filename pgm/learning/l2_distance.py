"""Squared distance between beliefs and what they should be."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import frozen

from autodiff.array_types import Floats
from pgm.learning.instance import Instance
from pgm.learning.objective import Objective, ObjectiveValue

__all__ = ["L2Distance"]


@frozen
class L2Distance(Objective):
    """Σ_e (b(e) - b*(e))² over events e, with the gradient through every iteration (Gormley et al. 2015, eq. 12).

    So the model learns to give good beliefs after just so many iterations, whether or not they have converged.  The
    targets b* are 1 for what is right and 0 for the rest, or an example's own.  Events of which nothing is known do not
    count.

    Examples
    --------
    >>> from pgm import BeliefPropagation, FactorGraph
    >>> from pgm.factors import Table
    >>> from pgm.learning import GraphModel
    >>> graph = FactorGraph()
    >>> table = graph.add(Table([graph.variable("x")], np.log([0.25, 0.75])))
    >>> instance = GraphModel(BeliefPropagation(iterations=1)).instance((graph, [1]))
    >>> evaluation = L2Distance().evaluate(instance, {table: table.potentials})
    >>> round(evaluation.loss, 9), evaluation.adjoints[table].round(4)
    (0.125, array([[ 0.1875, -0.1875]]))
    """

    name: ClassVar[str] = "l2"

    def evaluate(self, instance: Instance, scores: Mapping[Any, Floats], *, progress: float = 0.0) -> ObjectiveValue:
        """Return the loss and its gradient."""
        run = instance.run(scores, record=True)
        distance = run.beliefs - instance.targets
        distance[np.isnan(distance)] = 0.0
        return ObjectiveValue(float(distance @ distance), run.backward(beliefs=2.0 * distance), run.converged)

    @classmethod
    def examples(cls) -> Iterable[Objective]:
        """Yield the one that there is."""
        yield cls()

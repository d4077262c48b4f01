"""An objective compared with finite differences: for those here, and for your own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff import Backward, GradientReport, Module, SparseAdjoint, check_gradients
from pgm.learning.example import ExampleLike
from pgm.learning.objective import Objective
from pgm.learning.problem import TrainingProblem

__all__ = ["check_objective"]

Floats = NDArray[np.float64]


def check_objective(objective: Objective, *examples: ExampleLike, tolerance: float = 1e-6) -> GradientReport:
    """Compare the gradient of an objective by the parameters of some examples with central differences.

    Examples
    --------
    >>> from autodiff import Parameter
    >>> from pgm import FactorGraph
    >>> from pgm.factors import LogLinear
    >>> from pgm.learning import ConditionalLogLikelihood
    >>> graph = FactorGraph()
    >>> _ = graph.add(LogLinear([graph.variable("x")], [[1.0], [2.0]], Parameter("weights", [0.3])))
    >>> check_objective(ConditionalLogLikelihood(), (graph, [1])).passed
    True
    """
    problem = TrainingProblem(examples, objective)
    return check_gradients(_AsModule(problem), *problem.parameters.values(), tolerance=tolerance)


class _AsModule(Module):
    """parameters → the mean loss."""

    def __init__(self, problem: TrainingProblem) -> None:
        self.problem = problem

    def forward(self, *parameters: Floats) -> tuple[Floats, Backward]:
        given = dict(zip(self.problem.named, parameters, strict=True))
        loss, gradients = self.problem(given)

        def backward(adjoint: Any) -> tuple[Floats, ...]:
            found = [gradients.get(name, np.zeros_like(parameter)) for name, parameter in given.items()]
            return tuple(adjoint * (g.dense() if isinstance(g, SparseAdjoint) else g) for g in found)

        return np.array(loss), backward

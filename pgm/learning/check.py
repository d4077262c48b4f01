"""An objective compared with finite differences: for those here, and for your own."""

from typing import Any

import numpy as np

from autodiff import GradientReport, Module, SparseAdjoint, check_gradients
from autodiff.array_types import Floats
from pgm.learning.objective import Objective
from pgm.learning.problem import TrainingProblem
from pgm.learning.structured_model import StructuredModel

__all__ = ["check_objective"]


def check_objective(
    objective: Objective, model: StructuredModel, *examples: Any, tolerance: float = 1e-6
) -> GradientReport:
    """Compare the gradient of an objective by the parameters of a model with central differences, on some examples.

    Examples
    --------
    >>> from autodiff import Parameter
    >>> from pgm import FactorGraph
    >>> from pgm.factors import LogLinear
    >>> from pgm.learning import ConditionalLogLikelihood, GraphModel
    >>> graph = FactorGraph()
    >>> _ = graph.add(LogLinear([graph.variable("x")], [[1.0], [2.0]], Parameter("weights", [0.3])))
    >>> check_objective(ConditionalLogLikelihood(), GraphModel(), (graph, [1])).passed
    True
    """
    problem = TrainingProblem(model, examples, objective)
    return check_gradients(_AsModule(problem), *problem.parameters.values(), tolerance=tolerance)


class _AsModule(Module):
    """parameters → the mean loss."""

    def __init__(self, problem: TrainingProblem) -> None:
        self.problem = problem

    def forward(self, *parameters: Floats) -> Any:
        loss, gradients = self.problem(dict(zip(self.problem.named, parameters, strict=True)))

        def backward(adjoint: Any) -> tuple[Floats, ...]:
            named = zip(self.problem.named, parameters, strict=True)
            found = [gradients.get(name, np.zeros(parameter.shape)) for name, parameter in named]
            return tuple(adjoint * (g.dense() if isinstance(g, SparseAdjoint) else g) for g in found)

        return np.array(loss), backward

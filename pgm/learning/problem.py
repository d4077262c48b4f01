"""A training problem as a function of its parameters: what batch optimisers such as L-BFGS take."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff import Adjoint, Circuit, Parameter
from autodiff.array_types import Floats
from pgm.learning.errors import TrainingError
from pgm.learning.gradient_sum import Chosen, GradientSum
from pgm.learning.instance import Instance
from pgm.learning.loss_bounds import LossBounds
from pgm.learning.objective import Objective
from pgm.learning.step import add_gradient
from pgm.learning.structured_model import StructuredModel

__all__ = ["TrainingProblem", "as_parameters"]


class TrainingProblem:
    """The mean of an objective over examples, as a function of the parameters of a model.

    It has the form that `autodiff.optimizers.minimize_lbfgs` and `choose_learning_rate` take.

    Parameters
    ----------
    model : a structured model, such as `GraphModel()`
    examples : what the model makes instances of
    objective : the loss
    parameters : what is learned, others stay as they are.  By default all that the model has

    Examples
    --------
    >>> from autodiff.optimizers import minimize_lbfgs
    >>> from pgm import FactorGraph
    >>> from pgm.factors import LogLinear
    >>> from pgm.learning import ConditionalLogLikelihood, GraphModel
    >>> weights = Parameter("weights", [0.0])
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 4)
    >>> _ = graph.add(LogLinear(x[[[0], [1], [2], [3]]], [[0.0], [1.0]], weights))
    >>> problem = TrainingProblem(GraphModel(), [(graph, [1, 1, 1, 0])], ConditionalLogLikelihood())
    >>> minimize_lbfgs(problem, problem.parameters).converged
    True
    >>> weights.value.round(3)                                    # log(3 / 1)
    array([1.099])
    """

    def __init__(
        self,
        model: StructuredModel,
        examples: Iterable[Any],
        objective: Objective,
        parameters: Iterable[Parameter] | Mapping[str, Parameter] | Circuit | None = None,
    ) -> None:
        self.model, self.objective = model, objective
        self.instances = [model.instance(item) for item in examples]
        if not self.instances:
            raise TrainingError("there are no examples to learn from")
        self.named = as_parameters(model, self.instances, parameters)
        self._bounds = LossBounds()

    @property
    def parameters(self) -> dict[str, Floats]:
        """The live arrays by name, which optimisers change in place."""
        return {name: parameter.value for name, parameter in self.named.items()}

    def __call__(
        self, parameters: Mapping[str, Floats] | None = None, batch: Sequence[Instance] | None = None
    ) -> tuple[float, dict[str, Adjoint]]:
        """Return the mean loss and its gradient by name, at the given parameters (by default the live ones).

        Parameters
        ----------
        batch : instances; by default all of the problem
        """
        chosen = self.instances if batch is None else batch
        total = GradientSum(self.named)
        evaluations = []
        with self._placed(parameters or {}):
            for number, instance in enumerate(chosen):
                try:
                    gradients = Chosen(total, self.named)
                    evaluations.append(add_gradient(self.model, instance, self.objective, gradients))
                except Exception as error:
                    raise TrainingError(f"example {number}: {type(error).__name__}: {error}") from error
        self._bounds.see(self.objective, evaluations)
        self._bounds.warn(self.objective, len(evaluations))
        losses = [evaluation.loss for evaluation in evaluations]
        return float(np.mean(losses)), total.take(1.0 / max(len(losses), 1))

    @contextmanager
    def _placed(self, arrays: Mapping[str, Floats]) -> Iterator[None]:
        """Let the parameters have other values for a while."""
        arrays = {name: array for name, array in arrays.items() if array is not self.named[name].value}
        before = {name: self.named[name].value for name in arrays}
        try:
            for name, array in arrays.items():
                self.named[name].value = array
            yield
        finally:
            for name, array in before.items():
                self.named[name].value = array


def as_parameters(
    model: StructuredModel,
    instances: Sequence[Instance],
    given: Iterable[Parameter] | Mapping[str, Parameter] | Circuit | None,
) -> dict[str, Parameter]:
    """Return what is learned by name: what is given, or all that the model has.

    Raises
    ------
    TrainingError
        If two have the same name, or there are none.
    """
    found: dict[str, Parameter] = {}
    if given is None:
        found = model.parameters(instances)
    elif isinstance(given, Circuit):
        found = given.named_parameters()
    elif isinstance(given, Mapping):
        found = dict(given)
    else:
        for parameter in given:
            if found.setdefault(parameter.name, parameter) is not parameter:
                raise TrainingError(f"there are two parameters named {parameter.name!r}; rename one")
    if not found:
        raise TrainingError(
            "nothing can be learned: the model has no parameters; tables with some are LogLinear and Scored"
        )
    return found

"""A training problem as a function of its parameters: what optimisers take."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff import Adjoint, Circuit, Parameter, SparseAdjoint
from pgm._warning import warn
from pgm.learning.errors import TrainingError, UnboundedLossWarning
from pgm.learning.example import Example, ExampleLike, as_example
from pgm.learning.objective import Evaluation, Objective

__all__ = ["TrainingProblem"]

Floats = NDArray[np.float64]
_ROUNDING = 1e-6


class TrainingProblem:
    """The mean of an objective over examples, as a function of the parameters behind their log-potentials.

    It has the form that `autodiff.optimizers.minimize_lbfgs` and `choose_learning_rate` take.

    Parameters
    ----------
    examples : `Example`s, pairs (graph, gold), or functions that make one whenever it is needed
    objective : the loss
    parameters : what is learned, others stay as they are.  By default all that the examples have; they have to be given
        if examples are made by functions

    Examples
    --------
    >>> from autodiff.optimizers import minimize_lbfgs
    >>> from pgm import FactorGraph
    >>> from pgm.factors import LogLinear
    >>> from pgm.learning import ConditionalLogLikelihood
    >>> weights = Parameter("weights", [0.0])
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 4)
    >>> _ = graph.add(LogLinear(x[[[0], [1], [2], [3]]], [[0.0], [1.0]], weights))
    >>> problem = TrainingProblem([(graph, [1, 1, 1, 0])], ConditionalLogLikelihood())
    >>> minimize_lbfgs(problem, problem.parameters).converged
    True
    >>> weights.value.round(3)                                    # log(3 / 1)
    array([1.099])
    """

    def __init__(
        self,
        examples: Iterable[ExampleLike],
        objective: Objective,
        parameters: Iterable[Parameter] | Mapping[str, Parameter] | Circuit | None = None,
    ) -> None:
        self.objective = objective
        self._warned = False
        self.examples = [item if callable(item) else as_example(item) for item in examples]
        if not self.examples:
            raise TrainingError("there are no examples to learn from")
        self.named = self._found() if parameters is None else _by_name(parameters)
        if not self.named:
            raise TrainingError(
                "nothing can be learned: no family of the examples has parameters; use LogLinear or Scored tables"
            )

    @property
    def parameters(self) -> dict[str, Floats]:
        """The live arrays by name, which optimisers change in place."""
        return {name: parameter.value for name, parameter in self.named.items()}

    def example(self, number: int) -> Example:
        """Return one of the examples, made now if a function makes it."""
        try:
            return as_example(self.examples[number])
        except Exception as error:
            raise _failed(number, error) from error

    def __call__(
        self, parameters: Mapping[str, Floats] | None = None, batch: Sequence[ExampleLike] | None = None
    ) -> tuple[float, dict[str, Adjoint]]:
        """Return the mean loss and its gradient by name, at the given parameters (by default the live ones).

        Parameters
        ----------
        batch : examples; by default all of the problem
        """
        with self._placed(parameters or {}):
            evaluations, gradients = self.evaluate(self.examples if batch is None else batch)
        if not self._warned:
            self.warn_of(*self.below(evaluations), len(evaluations))
        return float(np.mean([evaluation.loss for evaluation in evaluations])), gradients

    def evaluate(
        self, batch: Sequence[ExampleLike], *, progress: float = 0.0, names: Sequence[Any] | None = None
    ) -> tuple[list[Evaluation], dict[str, Adjoint]]:
        """Return what the objective says of each example, and the gradient of the mean.

        Raises
        ------
        TrainingError
            If an example fails; the message says which and why, and the cause is the error itself.
        """
        evaluations: list[Evaluation] = []
        found: dict[str, list[Adjoint]] = {}
        for position, item in enumerate(batch):
            try:
                evaluation = self._add(as_example(item), progress, found)
            except Exception as error:
                name = position if names is None else names[position]
                raise _failed(name, error) from error
            evaluations.append(evaluation)
        return evaluations, {name: _mean(parts, len(batch)) for name, parts in found.items()}

    def below(self, evaluations: Sequence[Evaluation]) -> tuple[int, float]:
        """Return how many losses are below the objective's least, and the smallest loss."""
        losses = [evaluation.loss for evaluation in evaluations]
        least = self.objective.least_loss
        return sum(loss < least - _ROUNDING * max(1.0, abs(loss)) for loss in losses), min(losses, default=np.inf)

    def warn_of(self, count: int, smallest: float, of: int, when: str = "") -> None:
        """Warn, once, of losses that are below the objective's least."""
        if count and not self._warned:
            self._warned = True
            warn(
                f"{when}the losses of {count} of {of} examples are below {self.objective.least_loss:g}, the smallest "
                f"{smallest:.4g}: the log-partition of loopy belief propagation is too small there, and training may "
                f"run off; use more iterations, damping, an exact method, or L2Distance",
                UnboundedLossWarning,
            )

    def reads(self, batch: Sequence[ExampleLike]) -> dict[str, NDArray[np.int64] | None]:
        """Return the rows of each parameter that a batch looks at, None for all: what lazy optimisers must catch up."""
        found: dict[str, list[NDArray[np.int64]] | None] = {}
        for item in batch:
            for family in as_example(item).graph.families:
                if family.source is None:
                    continue
                for name in family.source.named_parameters():
                    rows = family.source.reads.get(name)
                    so_far = found.setdefault(name, [])
                    if rows is None or so_far is None:
                        found[name] = None
                    else:
                        so_far.append(rows)
        known = {name: rows for name, rows in found.items() if name in self.named}
        return {name: None if rows is None else np.concatenate(rows) for name, rows in known.items()}

    def _add(self, example: Example, progress: float, found: dict[str, list[Adjoint]]) -> Evaluation:
        families = example.graph.families
        for family in families:
            family.refresh()
        evaluation = self.objective.evaluate(example, progress=progress)
        if not np.isfinite(evaluation.loss):
            raise TrainingError(f"the loss is {evaluation.loss}")
        for family, adjoint in zip(families, evaluation.adjoints, strict=True):
            if family.source is None or adjoint is None:
                continue
            own = family.source.named_parameters()
            for name, gradient in family.gradients(adjoint).items():
                if name not in self.named:
                    continue
                if own[name] is not self.named[name]:
                    raise TrainingError(f"{family!r} has another parameter named {name!r}; rename one of them")
                found.setdefault(name, []).append(gradient)
        return evaluation

    def _found(self) -> dict[str, Parameter]:
        found: dict[str, Parameter] = {}
        for number, example in enumerate(self.examples):
            if callable(example):
                raise TrainingError(
                    f"example {number} is made by a function: say with parameters=… what is to be learned"
                )
            for family in example.graph.families:
                for name, parameter in family.source.named_parameters().items() if family.source is not None else ():
                    if found.setdefault(name, parameter) is not parameter:
                        raise TrainingError(f"example {number}: there are two parameters named {name!r}; rename one")
        return found

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


def _failed(name: Any, error: Exception) -> TrainingError:
    return TrainingError(f"example {name}: {type(error).__name__}: {error}")


def _by_name(parameters: Iterable[Parameter] | Mapping[str, Parameter] | Circuit) -> dict[str, Parameter]:
    if isinstance(parameters, Circuit):
        return parameters.named_parameters()
    if isinstance(parameters, Mapping):
        return dict(parameters)
    found: dict[str, Parameter] = {}
    for parameter in parameters:
        if found.setdefault(parameter.name, parameter) is not parameter:
            raise TrainingError(f"there are two parameters named {parameter.name!r}; rename one")
    return found


def _mean(parts: list[Adjoint], count: int) -> Adjoint:
    """Return the sum over `count`; sparse if all parts are."""
    sparse = [part for part in parts if isinstance(part, SparseAdjoint)]
    total: Any = None
    if sparse:
        indices = np.concatenate([part.indices for part in sparse])
        values = np.concatenate([part.values for part in sparse])
        total = SparseAdjoint(indices, values / count, sparse[0].shape)
    for part in parts:
        if not isinstance(part, SparseAdjoint):
            total = part / count if total is None else total + part / count
    return total

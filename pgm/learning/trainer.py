"""The training loop."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from autodiff import Circuit, Parameter
from autodiff.conversion import as_count, as_generator
from autodiff.optimizers import Optimizer
from pgm.learning.errors import TrainingError
from pgm.learning.example import ExampleLike
from pgm.learning.objective import Evaluation, Objective
from pgm.learning.problem import TrainingProblem

__all__ = ["Epoch", "Training", "fit"]


@frozen
class Epoch:
    """One pass over the examples.

    Attributes
    ----------
    number : from 1 on
    loss : the mean loss of the examples, each when it was its turn
    development : the score on development data after the epoch, None if there is none
    unconverged : the number of examples whose inference said that it had not converged (on a tree, one iteration is
        exact, but belief propagation only sees that in a second one)
    below : the number of examples whose loss was below what a loss can be (a likelihood above 1): then the Bethe
        log-partition is no guide; `fit` warns of the first epoch with some
    """

    number: int = field()
    loss: float = field()
    development: float | None = field(default=None)
    unconverged: int = field(default=0)
    below: int = field(default=0)


@frozen
class Training:
    """How training went.

    Attributes
    ----------
    epochs : all that were run
    best : the number of the epoch whose parameters were kept
    stopped_early : whether patience ended it
    """

    epochs: tuple[Epoch, ...] = field()
    best: int = field()
    stopped_early: bool = field()


def fit(
    examples: Iterable[ExampleLike],
    objective: Objective,
    optimizer: Optimizer,
    *,
    epochs: int,
    batch_size: int = 1,
    seed: int | np.random.Generator = 0,
    parameters: Iterable[Parameter] | Mapping[str, Parameter] | Circuit | None = None,
    development: Callable[[], float] | None = None,
    patience: int | None = None,
    progress: bool = True,
) -> Training:
    """Train the parameters behind the log-potentials of some graphs, in place.

    Each step takes the gradient of the mean loss of a mini-batch; so with an optimiser's `l2`, equation 8 of Gormley et
    al. (2015) with D examples is `l2 = λ / D`.  The same seed gives the same bytes.

    Parameters
    ----------
    examples, objective, parameters : see `TrainingProblem`
    optimizer : of `autodiff.optimizers`
    epochs : so many passes over the examples, in a new random order each
    development : called after each epoch; higher is better.  The parameters of the best epoch are kept, the first of
        equals
    patience : stop after so many epochs that were not better than the best before
    progress : show a bar, if the standard error is a terminal

    Raises
    ------
    TrainingError
        If an example fails; the message says which (by its number among `examples`) and why.

    Examples
    --------
    >>> from autodiff.optimizers import AdaGrad
    >>> from pgm import FactorGraph
    >>> from pgm.factors import LogLinear
    >>> from pgm.learning import L2Distance
    >>> weights = Parameter("weights", [0.0])
    >>> def example(states):
    ...     graph = FactorGraph()
    ...     x = graph.variables("x", 2)
    ...     graph.add(LogLinear(x, [[[1.0], [0.0]], [[0.0], [1.0]]], weights))     # whether the two are equal
    ...     graph.add(LogLinear([x[0]], [[0.0], [3.0]], weights))
    ...     return graph, states
    >>> training = fit([example([1, 1]), example([1, 1])], L2Distance(), AdaGrad(0.5), epochs=20)
    >>> training.epochs[-1].loss < 0.2 * training.epochs[0].loss, bool(weights.value[0] > 1)
    (True, True)
    """
    _check(epochs, batch_size, patience, development)
    problem = TrainingProblem(examples, objective, parameters)
    rng = as_generator(seed, "fit: seed")
    count = len(problem.examples)
    batches = -(-count // batch_size)
    history: list[Epoch] = []
    best = _Best()
    with _bar(epochs * batches, progress) as advance:
        for number in range(1, epochs + 1):
            losses: list[float] = []
            unconverged = below = 0
            order = rng.permutation(count).tolist()
            for batch in range(batches):
                chosen = order[batch * batch_size : (batch + 1) * batch_size]
                done = (len(history) * batches + batch) / max(epochs * batches - 1, 1)
                try:
                    evaluations = _step(problem, optimizer, chosen, done)
                except TrainingError as error:
                    raise TrainingError(f"epoch {number}, {error}") from error.__cause__
                losses.extend(evaluation.loss for evaluation in evaluations)
                unconverged += sum(evaluation.converged is False for evaluation in evaluations)
                below += problem.below(evaluations)[0]
                advance()
            optimizer.finish(problem.parameters)
            score = None if development is None else float(development())
            history.append(Epoch(number, float(np.mean(losses)), score, unconverged, below))
            problem.warn_of(below, min(losses), count, f"epoch {number}: ")
            best.offer(history[-1], problem)
            if patience is not None and number - best.epoch >= patience:
                break
    best.restore(problem)
    return Training(tuple(history), best.epoch, len(history) < epochs)


def _step(problem: TrainingProblem, optimizer: Optimizer, chosen: Sequence[int], done: float) -> list[Evaluation]:
    batch = [problem.example(number) for number in chosen]
    for name, rows in problem.reads(batch).items():
        optimizer.catch_up(problem.parameters, name, rows)
    evaluations, gradients = problem.evaluate(batch, progress=done, names=chosen)
    optimizer.step(problem.parameters, gradients)
    return evaluations


@define
class _Best:
    """The best epoch so far and, if there is a score to tell, its parameters."""

    epoch: int = 0
    score: float = -np.inf
    arrays: dict[str, NDArray[np.float64]] = field(factory=dict)

    def offer(self, epoch: Epoch, problem: TrainingProblem) -> None:
        if epoch.development is None:
            self.epoch = epoch.number
        elif np.isnan(epoch.development):
            raise TrainingError(f"the development score after epoch {epoch.number} is NaN")
        elif self.epoch == 0 or epoch.development > self.score:
            self.epoch, self.score = epoch.number, epoch.development
            self.arrays = {name: array.copy() for name, array in problem.parameters.items()}

    def restore(self, problem: TrainingProblem) -> None:
        for name, array in self.arrays.items():
            problem.parameters[name][...] = array


def _check(epochs: int, batch_size: int, patience: int | None, development: object) -> None:
    for name, value in (("epochs", epochs), ("batch_size", batch_size), ("patience", patience)):
        if value is not None:
            as_count(value, f"fit: {name}", ValueError, least=1)
    if patience is not None and development is None:
        raise ValueError("fit: patience needs development, a function that returns a score of which higher is better")


@contextmanager
def _bar(length: int, progress: bool) -> Iterator[Callable[[], None]]:
    """Yield what moves a progress bar on; there is none unless somebody is looking."""
    if not progress or not sys.stderr.isatty():
        yield lambda: None
        return
    import click

    with click.progressbar(length=length, label="training", file=sys.stderr) as bar:
        yield lambda: bar.update(1)

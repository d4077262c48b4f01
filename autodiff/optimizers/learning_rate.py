"""Automatic choice of the learning rate by trial on a sample of the training data.

"The learning rate for each training run is dynamically tuned on a sample of the training data" (Gormley et
al. 2015, *Learning Settings*; the recipe is that of Bottou 2012, *SGD tricks*, §5.2).
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count, as_generator
from autodiff.optimizers.errors import (
    DivergenceError,
    LearningRateWarning,
    NonFiniteGradientError,
    OptimizerError,
)
from autodiff.optimizers.gradients import Gradient, check_parameters
from autodiff.optimizers.optimizer import Optimizer

__all__ = ["LearningRateChoice", "LearningRateTrial", "choose_learning_rate"]

Example = TypeVar("Example")
Parameters = dict[str, NDArray[np.float64]]
BatchObjective = Callable[[Parameters, Sequence[Any]], tuple[float, Mapping[str, Gradient]]]


@frozen
class LearningRateTrial:
    """One tried rate: the loss on the sample after training on it (inf if it diverged) and, if so, how."""

    rate: float
    loss: float
    failure: str | None = None


@frozen
class LearningRateChoice:
    """The best of the tried rates; `trials` has all of them, by ascending rate."""

    rate: float
    loss: float
    initial_loss: float
    trials: tuple[LearningRateTrial, ...]


def choose_learning_rate(
    make_optimizer: Callable[[float], Optimizer],
    objective: BatchObjective,
    parameters: Mapping[str, NDArray[np.float64]],
    examples: Sequence[Example],
    *,
    start: float = 0.1,
    factor: float = 2.0,
    reach: int = 2,
    maximum_trials: int = 20,
    sample_size: int = 100,
    batch_size: int = 1,
    epochs: int = 1,
    seed: int | np.random.Generator = 0,
    reads: Callable[[Sequence[Any]], Mapping[str, ArrayLike]] | None = None,
    divergence_errors: tuple[type[Exception], ...] = (FloatingPointError,),
) -> LearningRateChoice:
    """Train on a sample with rates above and below `start`, and return the one with the lowest loss on that
    sample.

    The rates start · factor^k are tried for k = -reach … reach.  As long as the best is the lowest or the
    highest of them, the search goes on in that direction.  Every trial starts from a copy of `parameters`
    with a fresh optimiser, takes the same mini-batches in the same order, and is finished (what is owed is
    paid) before its loss is taken. The caller's parameters are never written to.

    Parameters
    ----------
    make_optimizer : a fresh optimiser for a rate, such as `lambda rate: AdaGrad(rate, l2=0.01)`
    objective : called with parameters and a list of examples; returns the loss and a gradient by name.  If it
        reads only the parameters that it is given, nothing else can change.
    examples : the training data; `sample_size` of them are drawn without replacement
    start, factor, reach, maximum_trials : the rates, as above
    batch_size, epochs : how a trial trains
    seed : the same seed gives the same sample and the same choice
    reads : for large hashed weights: the rows by name that the objective will read for a mini-batch, so that
        only those are caught up before it; without it, all rows are
    divergence_errors : exceptions of the objective that mean "this rate is too high"; any other one is passed
        on

    Raises
    ------
    DivergenceError
        If every tried rate diverges, or the loss is not finite before any training.

    Warns
    -----
    LearningRateWarning
        If no tried rate lowers the loss, or the best is still at an end when `maximum_trials` is reached.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff.optimizers import SGD
    >>> def objective(parameters, batch):
    ...     difference = parameters["w"] - np.mean(batch)
    ...     return float(difference**2), {"w": 2 * difference}
    >>> data = np.full(50, 3.0)
    >>> choice = choose_learning_rate(SGD, objective, {"w": np.zeros(())}, data, start=0.0001, epochs=1)
    >>> 0.1 < choice.rate < 1.0                                # far above the start
    True
    """
    try:
        count = len(examples)
    except TypeError:
        raise OptimizerError(f"choose_learning_rate: examples is {examples!r}, but must be a sequence") from None
    _check_settings(start, factor, reach, maximum_trials, sample_size, batch_size, epochs, count)
    check_parameters({name: np.array(array) for name, array in parameters.items()})
    diverged: tuple[type[Exception], ...] = (NonFiniteGradientError, DivergenceError, *divergence_errors)
    generator = as_generator(seed, "choose_learning_rate: seed", OptimizerError)
    chosen = generator.permutation(count)[:sample_size]
    sample = [examples[int(index)] for index in chosen]
    batches = [sample[first : first + batch_size] for first in range(0, len(sample), batch_size)]

    def total_loss(weights: Parameters) -> float:
        return float(sum(float(objective(weights, batch)[0]) for batch in batches))

    def trial(exponent: int) -> LearningRateTrial:
        rate = float(start) * float(factor) ** exponent
        weights = {name: np.array(array) for name, array in parameters.items()}
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                optimizer = make_optimizer(rate)
                for _ in range(epochs):
                    for batch in batches:
                        _catch_up(optimizer, weights, reads and reads(batch))
                        optimizer.step(weights, objective(weights, batch)[1])
                optimizer.finish(weights)
                loss = total_loss(weights)
        except diverged as error:
            return LearningRateTrial(rate, np.inf, f"{type(error).__name__}: {error}")
        if not np.isfinite(loss):
            return LearningRateTrial(rate, np.inf, f"the loss is {loss}")
        return LearningRateTrial(rate, loss)

    initial_loss = total_loss({name: np.array(array) for name, array in parameters.items()})
    if not np.isfinite(initial_loss):
        raise DivergenceError(f"the loss on the sample is {initial_loss} before any training: no rate can mend that")
    trials = {exponent: trial(exponent) for exponent in range(-reach, reach + 1)}
    while (direction := _direction(trials)) and len(trials) < maximum_trials:
        exponent = max(trials) + 1 if direction > 0 else min(trials) - 1
        trials[exponent] = trial(exponent)
    return _choice(trials, initial_loss, direction)


def _catch_up(optimizer: Optimizer, weights: Parameters, rows: Mapping[str, ArrayLike] | None) -> None:
    if rows is None:
        optimizer.catch_up(weights)
    else:
        for name, indices in rows.items():
            optimizer.catch_up(weights, name, indices)


def _best(trials: Mapping[int, LearningRateTrial]) -> int:
    """Return the exponent with the lowest loss; of equal losses, the one nearest to the start."""
    return min(trials, key=lambda exponent: (trials[exponent].loss, abs(exponent), exponent))


def _direction(trials: Mapping[int, LearningRateTrial]) -> int:
    """Return +1 or -1 if the search should go on up or down, and 0 if the best lies inside."""
    best = _best(trials)
    if trials[best].failure is not None or best == min(trials):
        return -1
    return 1 if best == max(trials) else 0


def _choice(trials: Mapping[int, LearningRateTrial], initial_loss: float, direction: int) -> LearningRateChoice:
    ordered = tuple(trials[exponent] for exponent in sorted(trials))
    best = trials[_best(trials)]
    tried = f"{len(ordered)} rates from {ordered[0].rate:g} to {ordered[-1].rate:g}"
    if best.failure is not None:
        raise DivergenceError(
            f"all of {tried} diverge; the lowest fails with {ordered[0].failure!r}: check the loss and its "
            "gradient, "
            "or start lower"
        )
    if not best.loss < initial_loss:
        warnings.warn(
            f"none of {tried} lowers the loss on the sample: it is {initial_loss:g} before and "
            f"{best.loss:g} after "
            f"training with the best rate, {best.rate:g}; check the gradient, or whether training is over "
            "already",
            LearningRateWarning,
            stacklevel=3,
        )
    elif direction:
        warnings.warn(
            f"the best of {tried} is the {'highest' if direction > 0 else 'lowest'}, {best.rate:g}, so a "
            "better one may "
            "lie beyond it: raise maximum_trials or move start",
            LearningRateWarning,
            stacklevel=3,
        )
    return LearningRateChoice(best.rate, best.loss, initial_loss, ordered)


def _check_settings(
    start: float,
    factor: float,
    reach: int,
    maximum_trials: int,
    sample_size: int,
    batch_size: int,
    epochs: int,
    examples: int,
) -> None:
    for name, number in {"reach": reach, "maximum_trials": maximum_trials, "sample_size": sample_size}.items():
        as_count(number, f"choose_learning_rate: {name}", OptimizerError)
    for name, number in {"batch_size": batch_size, "epochs": epochs}.items():
        as_count(number, f"choose_learning_rate: {name}", OptimizerError)
    for name, value in {"start": start, "factor": factor}.items():
        if not isinstance(value, Real):
            raise OptimizerError(f"choose_learning_rate: {name} is {value!r}, but must be a number")
    problems = [
        (not (np.isfinite(start) and start > 0), f"start is {start}, but must be finite and above 0"),
        (not (np.isfinite(factor) and factor > 1), f"factor is {factor}, but must be finite and above 1"),
        (reach < 1, f"reach is {reach}, but must be at least 1, to look both up and down"),
        (
            maximum_trials < 2 * reach + 1,
            f"maximum_trials is {maximum_trials}, but reach {reach} needs {2 * reach + 1}",
        ),
        (sample_size < 1, f"sample_size is {sample_size}, but must be at least 1"),
        (batch_size < 1, f"batch_size is {batch_size}, but must be at least 1"),
        (epochs < 1, f"epochs is {epochs}, but must be at least 1"),
        (examples < 1, "there are no examples to try a rate on"),
    ]
    for wrong, message in problems:
        if wrong:
            raise OptimizerError(f"choose_learning_rate: {message}")

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

from autodiff.conversion import as_count, as_generator, as_number
from autodiff.optimizers.errors import (
    DivergenceError,
    LearningRateWarning,
    NonFiniteGradientError,
    OptimizerError,
)
from autodiff.optimizers.gradients import Gradient, check_parameters
from autodiff.optimizers.optimizer import Optimizer

__all__ = ["LearningRateChoice", "LearningRateTrial", "choose_learning_rate", "search_learning_rate"]

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
    initial_loss: float | None
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
    with a fresh optimiser, takes the same mini-batches in the same order, and is finished (all rows are caught
    up) before its loss is taken. The caller's parameters are never written to.

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
    _check_sample("choose_learning_rate", sample_size=sample_size, batch_size=batch_size, epochs=epochs, examples=count)
    check_parameters({name: np.array(array) for name, array in parameters.items()})
    generator = as_generator(seed, "choose_learning_rate: seed", OptimizerError)
    chosen = generator.permutation(count)[:sample_size]
    sample = [examples[int(index)] for index in chosen]
    batches = [sample[first : first + batch_size] for first in range(0, len(sample), batch_size)]

    def total_loss(weights: Parameters) -> float:
        return float(sum(float(objective(weights, batch)[0]) for batch in batches))

    def trial(rate: float) -> float:
        weights = {name: np.array(array) for name, array in parameters.items()}
        optimizer = make_optimizer(rate)
        for _ in range(epochs):
            for batch in batches:
                _catch_up(optimizer, weights, reads and reads(batch))
                optimizer.step(weights, objective(weights, batch)[1])
        optimizer.finish(weights)
        return total_loss(weights)

    settings = _Search("choose_learning_rate", start, factor, reach, maximum_trials)
    initial_loss = total_loss({name: np.array(array) for name, array in parameters.items()})
    return _search(trial, initial_loss, settings, divergence_errors)


def search_learning_rate(
    trial: Callable[[float], float],
    *,
    initial_loss: float | None = None,
    start: float = 0.1,
    factor: float = 2.0,
    reach: int = 2,
    maximum_trials: int = 20,
    divergence_errors: tuple[type[Exception], ...] = (FloatingPointError,),
) -> LearningRateChoice:
    """Try rates above and below `start`, and return the one with the lowest loss.

    The rates start · factor^k are tried for k = -reach … reach.  As long as the best is the lowest or the highest of
    them, the search goes on in that direction.  A rate whose loss is not finite counts as too high.

    Parameters
    ----------
    trial : trains from the same start with a rate, and returns the loss after it
    initial_loss : the loss without training; no rate that leaves it higher helps
    start, factor, reach, maximum_trials : the rates, as above
    divergence_errors : exceptions of a trial that mean "this rate is too high", besides `DivergenceError` and
        `NonFiniteGradientError`; any other one is passed on

    Raises
    ------
    DivergenceError
        If every tried rate diverges, or the initial loss is not finite.

    Warns
    -----
    LearningRateWarning
        If no tried rate lowers the initial loss, or the best is still at an end when `maximum_trials` is reached.

    Examples
    --------
    >>> search_learning_rate(lambda rate: (rate - 0.4) ** 2, start=0.1).rate
    0.4
    """
    if initial_loss is not None and not isinstance(initial_loss, Real):
        raise OptimizerError(f"search_learning_rate: initial_loss is {initial_loss!r}, but must be a number")
    settings = _Search("search_learning_rate", start, factor, reach, maximum_trials)
    return _search(trial, initial_loss, settings, divergence_errors)


@frozen
class _Search:
    """The rates to try, checked."""

    caller: str
    start: float
    factor: float
    reach: int
    maximum_trials: int

    def __attrs_post_init__(self) -> None:
        as_number(self.start, f"{self.caller}: start", OptimizerError, above=0)
        as_number(self.factor, f"{self.caller}: factor", OptimizerError, above=1)
        as_count(self.reach, f"{self.caller}: reach", OptimizerError, least=1)  # to look both up and down
        least = 2 * self.reach + 1
        as_count(
            self.maximum_trials, f"{self.caller}: maximum_trials, with reach {self.reach},", OptimizerError, least=least
        )

    def rate(self, exponent: int) -> float:
        with np.errstate(over="ignore"):
            return float(self.start * np.float64(self.factor) ** exponent)


def _search(
    trial: Callable[[float], float],
    initial_loss: float | None,
    settings: _Search,
    divergence_errors: tuple[type[Exception], ...],
) -> LearningRateChoice:
    diverged: tuple[type[Exception], ...] = (NonFiniteGradientError, DivergenceError, *divergence_errors)

    def tried(exponent: int) -> LearningRateTrial:
        rate = settings.rate(exponent)
        if not 0 < rate < np.inf:
            return LearningRateTrial(rate, np.inf, f"a rate of {rate} is no rate")
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                loss = float(trial(rate))
        except diverged as error:
            return LearningRateTrial(rate, np.inf, f"{type(error).__name__}: {error}")
        if not np.isfinite(loss):
            return LearningRateTrial(rate, np.inf, f"the loss is {loss}")
        return LearningRateTrial(rate, loss)

    if initial_loss is not None and not np.isfinite(initial_loss):
        raise DivergenceError(f"the loss on the sample is {initial_loss} before any training: no rate can mend that")
    trials = {exponent: tried(exponent) for exponent in range(-settings.reach, settings.reach + 1)}
    while (direction := _direction(trials)) and len(trials) < settings.maximum_trials:
        exponent = max(trials) + 1 if direction > 0 else min(trials) - 1
        trials[exponent] = tried(exponent)
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


def _choice(trials: Mapping[int, LearningRateTrial], initial_loss: float | None, direction: int) -> LearningRateChoice:
    ordered = tuple(trials[exponent] for exponent in sorted(trials))
    best = trials[_best(trials)]
    tried = f"{len(ordered)} rates from {ordered[0].rate:g} to {ordered[-1].rate:g}"
    if best.failure is not None:
        raise DivergenceError(
            f"all of {tried} diverge; the lowest fails with {ordered[0].failure!r}: check the loss and its "
            "gradient, "
            "or start lower"
        )
    if initial_loss is not None and not best.loss < initial_loss:
        warnings.warn(
            f"none of {tried} lowers the loss on the sample: it is {initial_loss:g} before and "
            f"{best.loss:g} after "
            f"training with the best rate, {best.rate:g}; check the gradient, or whether training is over "
            "already",
            LearningRateWarning,
            stacklevel=4,
        )
    elif direction:
        warnings.warn(
            f"the best of {tried} is the {'highest' if direction > 0 else 'lowest'}, {best.rate:g}, so a "
            "better one may "
            "lie beyond it: raise maximum_trials or move start",
            LearningRateWarning,
            stacklevel=4,
        )
    return LearningRateChoice(best.rate, best.loss, initial_loss, ordered)


def _check_sample(caller: str, *, examples: int, **counts: int) -> None:
    for name, number in counts.items():
        as_count(number, f"{caller}: {name}", OptimizerError, least=1)
    if examples < 1:
        raise OptimizerError(f"{caller}: there are no examples to try a rate on")

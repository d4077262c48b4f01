"""The state of a training run, one epoch at a time."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from autodiff import Circuit, Parameter, optimizers
from autodiff.optimizers import ParameterStore
from pgm.learning.errors import TrainingDivergedError, TrainingError
from pgm.learning.gradient_sum import Chosen
from pgm.learning.history import Epoch
from pgm.learning.instance import Instance
from pgm.learning.loss_bounds import LossBounds
from pgm.learning.objective import ObjectiveValue
from pgm.learning.problem import as_parameters
from pgm.learning.stage import Stage
from pgm.learning.step import add_gradient
from pgm.learning.structured_model import StructuredModel

if TYPE_CHECKING:
    from pgm.learning.trainer import Trainer

__all__ = ["Best", "TrainingRun"]

_TOO_LARGE = (optimizers.DivergenceError, optimizers.NonFiniteGradientError)
Advance = Callable[[int, str], None]
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)
"""Models are saved in single precision."""


@define
class Best:
    """The best epoch so far, and the parameters after it.

    Attributes
    ----------
    epoch : its number, 0 before there is one
    score : on development data; -inf without
    since : how many epochs of the stage have passed without a better one
    """

    epoch: int = 0
    score: float = -np.inf
    since: int = 0
    arrays: dict[str, NDArray[Any]] = field(factory=dict, repr=False)


class TrainingRun:
    """What a `Trainer` has done so far, and how it does one more epoch.

    Parameters
    ----------
    trainer : the settings
    model : what is trained
    items : what the model makes instances of: once, or whenever it is needed if they are functions
    parameters : what is learned; by default all that the model has
    """

    def __init__(
        self,
        trainer: "Trainer",
        model: StructuredModel,
        items: Iterable[Any],
        parameters: Iterable[Parameter] | Mapping[str, Parameter] | Circuit | None = None,
    ) -> None:
        self.trainer, self.model = trainer, model
        self._items = [item if callable(item) else self._made(number, item) for number, item in enumerate(items)]
        if not self._items:
            raise TrainingError("there are no examples to learn from")
        ready = [item for item in self._items if isinstance(item, Instance)]
        if parameters is None and len(ready) < len(self._items):
            raise TrainingError("examples are made by functions: say with parameters=… what is to be learned")
        self.parameters = as_parameters(model, ready, parameters)
        for parameter in self.parameters.values():  # a trained model has its weights in single precision
            if parameter.read().dtype == np.float32:
                parameter.value = parameter.read().astype(np.float64)
        self.stage = 0
        self.epochs_of_stage = 0
        self.history: list[Epoch] = []
        self.best = Best()
        self.stopped_early = False
        self.store = self._new_store()
        self._bounds = LossBounds()
        self._started = time.perf_counter()

    def _new_store(self) -> ParameterStore:
        return self.trainer.update.store(self.parameters, average=self.trainer.average)

    @property
    def current(self) -> Stage:
        """The stage of the epoch that comes next."""
        return self.trainer.stages[self.stage]

    @property
    def current_epochs(self) -> int:
        """The number of epochs of that stage."""
        return self.current.epochs or self.trainer.epochs

    @property
    def over(self) -> bool:
        """Whether the last stage has ended."""
        return self.stage == len(self.trainer.stages)

    @property
    def description(self) -> dict[str, Any]:
        """What the bytes depend on that is known here, as plain values."""
        shapes = {name: list(parameter.read().shape) for name, parameter in self.parameters.items()}
        return {"trainer": self.trainer.plain(), "examples": self.num_examples, "parameters": shapes}

    @property
    def num_examples(self) -> int:
        """The number of examples."""
        return len(self._items)

    # An epoch

    def run_epoch(self, advance: Advance = lambda count, note: None) -> None:
        """Go through all examples in a new order, and add to the history; the score is added by `judge`."""
        trainer, number = self.trainer, len(self.history) + 1
        seed = [trainer.seed, number - 1]
        order = np.random.default_rng(seed).permutation(len(self._items))
        rng = np.random.default_rng([*seed, 1])
        if trainer.average and self.epochs_of_stage == trainer.average_after:
            self.store.restart_average()
        total, done, unconverged = 0.0, 0, 0
        for first in range(0, len(order), trainer.batch_size):
            evaluations = self._step(order[first : first + trainer.batch_size], done / len(order), rng)
            total += sum(evaluation.loss for evaluation in evaluations)
            done += len(evaluations)
            unconverged += sum(evaluation.converged is False for evaluation in evaluations)
            advance(len(evaluations), f"loss {total / done:.3f}")
        below = self._bounds.warn(self.current.objective, len(order), f"epoch {number}: ")
        self.history.append(
            Epoch(
                number, self.current.name, total / done,
                unconverged=unconverged, below=below, seconds=time.perf_counter() - self._started,
            )
        )  # fmt: skip
        self.epochs_of_stage += 1

    def _step(self, chosen: NDArray[np.int64], share: float, rng: np.random.Generator) -> list[ObjectiveValue]:
        objective = self.current.objective
        progress = min((self.epochs_of_stage + share) / self.current_epochs, 1.0)
        gradients = Chosen(self.store, self.parameters)
        instances = [self._instance(int(number)) for number in chosen]
        if self.store.shrinks:
            self.store.catch_up(self._reads(instances))
        evaluations = []
        for number, instance in zip(chosen.tolist(), instances, strict=True):
            try:
                evaluation = add_gradient(self.model, instance, objective, gradients, progress=progress, rng=rng)
            except Exception as error:
                raise self._failed(number, error) from error
            evaluations.append(evaluation)
        self._bounds.see(objective, evaluations)
        try:
            self.store.step(1.0 / len(chosen), loss=float(np.mean([evaluation.loss for evaluation in evaluations])))
        except _TOO_LARGE as error:
            raise TrainingDivergedError(str(error)) from error
        return evaluations

    def _reads(self, instances: Sequence[Instance]) -> dict[str, NDArray[np.int64] | None] | None:
        found: dict[str, list[NDArray[np.int64]] | None] = {}
        for instance in instances:
            rows_of = self.model.scorer.reads(instance)
            if rows_of is None:
                return None
            for name, rows in rows_of.items():
                so_far = found.setdefault(name, [])
                if rows is None or so_far is None:
                    found[name] = None
                else:
                    so_far.append(rows)
        known = {name: rows for name, rows in found.items() if name in self.parameters}
        return {name: None if rows is None else np.concatenate(rows) for name, rows in known.items()}

    def _instance(self, number: int) -> Instance:
        item = self._items[number]
        if isinstance(item, Instance):
            return item
        instance = self._made(number, item)
        for name, parameter in self.model.parameters([instance]).items():
            if self.parameters.get(name, parameter) is not parameter:
                raise TrainingError(f"example {number} has another parameter named {name!r}; rename one of them")
        return instance

    def _made(self, number: int, item: Any) -> Instance:
        if isinstance(item, Instance):
            return item
        try:
            return self.model.instance(item)
        except Exception as error:
            raise TrainingError(f"example {number}: {type(error).__name__}: {error}") from error

    def _failed(self, number: int, error: Exception) -> TrainingError:
        if isinstance(error, _TOO_LARGE):
            error = TrainingDivergedError(str(error))
        if isinstance(error, TrainingDivergedError):
            return error
        return TrainingError(f"epoch {len(self.history) + 1}, example {number}: {type(error).__name__}: {error}")

    # Which epoch is kept

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the values that the parameters would have if training ended now, on their own."""
        if self.trainer.average:
            arrays = self.store.averaged()
        else:
            self.store.finish()
            arrays = {name: parameter.read().copy() for name, parameter in self.parameters.items()}
        for name, array in arrays.items():
            largest = max(array.max(initial=0.0), -array.min(initial=0.0))
            if not largest <= _LARGEST_WEIGHT:  # NaN is not
                raise TrainingDivergedError(f"an entry of {name!r} is {largest:g}")
        return arrays

    def judge(self, development: Callable[[], float] | None) -> bool:
        """Score the parameters as they are now; return whether they are the best so far.

        Without a score the last ones are the best.
        """
        arrays = self.arrays()
        epoch = self.history[-1]
        score = -np.inf
        if self.best.epoch == 0:  # better than none, should the score fail
            self.best = Best(arrays=arrays)
        if development is not None:
            with self.store.using(arrays):
                score = float(development())
            if np.isnan(score):
                raise TrainingError(f"the development score after epoch {epoch.number} is NaN")
            self.history[-1] = evolve(epoch, development=score)
        if development is None or self.best.epoch == 0 or score > self.best.score:
            self.best = Best(epoch.number, score, 0, arrays)
            return True
        self.best.since += 1
        return False

    def advance_stage(self) -> None:
        """Go to the next stage if this one is over; it starts from the best parameters so far."""
        patience = self.trainer.patience
        tired = patience is not None and self.best.since >= patience
        if self.epochs_of_stage < self.current_epochs and not tired:
            return
        self.stopped_early |= self.epochs_of_stage < self.current_epochs
        self.stage, self.epochs_of_stage, self.best.since = self.stage + 1, 0, 0
        if not self.over:
            self.restore_best()
            self.store = self._new_store()

    def restore_best(self) -> None:
        """Give the parameters their best values so far, if there are any."""
        for name, array in self.best.arrays.items():
            self.parameters[name].value = array.copy()

"""The one training loop: batches, stages, early stopping, progress, checkpoints."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import field, frozen
from attrs.validators import instance_of, optional

from autodiff import Circuit, Parameter
from autodiff.optimizers import Optimizer
from autodiff.validators import plain, whole
from pgm.learning.checkpoint import Checkpoint
from pgm.learning.history import History
from pgm.learning.progress import Progress
from pgm.learning.stage import Stage, as_stages
from pgm.learning.structured_model import StructuredModel
from pgm.learning.training_run import TrainingRun

__all__ = ["Trainer"]


@frozen
class Trainer:
    """Trains the parameters of any structured model, in place.

    Each step takes the gradient of the mean loss of a mini-batch; so with an update's `l2`, equation 8 of Gormley et
    al. (2015) with D examples is `l2 = λ / D`.  The same seed gives the same bytes.

    Parameters
    ----------
    stages : an objective, or several one after another (`Stage` says for how many epochs each)
    update : how a step changes parameters, of `autodiff.optimizers`
    epochs : at most this many passes over the examples in each stage, in a new random order each
    batch_size : examples in a step
    patience : a stage ends after this many epochs that were not better than the best before
    average : whether the mean of the parameters after each step is used, instead of the last ones
    average_after : the mean begins anew after this many epochs of a stage, since the first parameters are no good
    seed : of the order of examples, and of what scorers leave out at random

    Examples
    --------
    >>> from autodiff.optimizers import AdaGrad
    >>> from pgm import FactorGraph
    >>> from pgm.factors import LogLinear
    >>> from pgm.learning import GraphModel, L2Distance
    >>> weights = Parameter("weights", [0.0])
    >>> def example(states):
    ...     graph = FactorGraph()
    ...     x = graph.variables("x", 2)
    ...     graph.add(LogLinear(x, [[[1.0], [0.0]], [[0.0], [1.0]]], weights))     # whether the two are equal
    ...     graph.add(LogLinear([x[0]], [[0.0], [3.0]], weights))
    ...     return graph, states
    >>> trainer = Trainer(L2Distance(), AdaGrad(0.5), epochs=20)
    >>> history = trainer.fit(GraphModel(), [example([1, 1]), example([1, 1])])
    >>> history.epochs[-1].loss < 0.2 * history.epochs[0].loss, bool(weights.value[0] > 1)
    (True, True)
    """

    stages: tuple[Stage, ...] = field(converter=as_stages)
    update: Optimizer = field()
    epochs: int = field(default=10, kw_only=True, converter=plain, validator=whole(1))
    batch_size: int = field(default=1, kw_only=True, converter=plain, validator=whole(1))
    patience: int | None = field(default=None, kw_only=True, converter=plain, validator=optional(whole(1)))
    average: bool = field(default=False, kw_only=True, validator=instance_of(bool))
    average_after: int = field(default=0, kw_only=True, converter=plain, validator=whole(0))
    seed: int = field(default=0, kw_only=True, converter=plain, validator=whole(0))

    @update.validator
    def _is_optimizer(self, _: Any, given: Any) -> None:
        if not isinstance(given, Optimizer):
            raise TypeError(f"Trainer: the update is {given!r}, but must be an optimiser such as AdaGrad(0.1)")

    def plain(self) -> dict[str, Any]:
        """Return the settings as plain values: a run goes on from a checkpoint only under the same ones."""
        numbers = ("epochs", "batch_size", "patience", "average", "average_after", "seed")
        stages, update = [stage.plain() for stage in self.stages], self.update
        kinds = {"stages": stages, "update": {"class": type(update).__name__, **update.settings()}}
        return kinds | {name: getattr(self, name) for name in numbers}

    def fit(
        self,
        model: StructuredModel,
        examples: Iterable[Any],
        *,
        development: Callable[[], float] | None = None,
        parameters: Iterable[Parameter] | Mapping[str, Parameter] | Circuit | None = None,
        checkpoint: Checkpoint | None = None,
        resume: bool = False,
        keep: Callable[[History], None] | None = None,
        report: Callable[[str], None] | None = None,
        progress: bool = True,
    ) -> History:
        """Train on examples, and leave the parameters of the best epoch in the model.

        That holds however it ends: after an error or an interrupt, too, the parameters are the best so far (in the
        first epoch they are as the last step left them).

        Parameters
        ----------
        examples : what the model makes instances of: once, unless they are functions that make an example each time
        development : called after each epoch, with the parameters as they would be if it was the last; higher is
            better.  The first of equals is the best.  Without it the last epoch is
        parameters : what is learned, others stay as they are.  By default all that the model has; it has to be given if
            examples are made by functions
        checkpoint : where the state of the run is written after each epoch, and removed at the end
        resume : go on from the checkpoint, if it is there, to the same bytes
        keep : called with the history, the best parameters in place, whenever there are better ones
        report : is told, line by line, how it goes
        progress : show a bar, if the standard error is a terminal

        Raises
        ------
        TrainingError
            If an example fails; the message says which (by its number among `examples`) and why.
        """
        if self.patience is not None and development is None:
            raise ValueError("Trainer: patience needs development, a function that returns a score, higher for better")
        say = report or (lambda line: None)
        run = TrainingRun(self, model, examples, parameters)
        if checkpoint is not None and resume:
            say(checkpoint.resume(run))
        try:
            if run.best.epoch and keep is not None:  # of the run that is resumed
                with run.store.using(run.best.arrays):
                    keep(self._history(run))
            while not run.over:
                epoch = f"epoch {len(run.history) + 1}"
                best = "" if development is None or run.best.epoch == 0 else f"best {run.best.score:.2f}"
                with Progress(epoch, run.num_examples, shown=progress, note=best) as bar:
                    run.run_epoch(bar.advance)
                better = run.judge(development)
                say(str(run.history[-1]))
                run.advance_stage()
                # The checkpoint first: a run that is killed between the two has lost nothing, since it keeps the best
                # parameters again at its end; a model without a checkpoint would be taken for the end of training.
                if checkpoint is not None:
                    checkpoint.write(run)
                if better and keep is not None:
                    with run.store.using(run.best.arrays):
                        keep(self._history(run))
        finally:
            run.restore_best()
        history = self._history(run)
        if keep is not None:
            keep(history)
        if checkpoint is not None:
            checkpoint.remove()
        return history

    @staticmethod
    def _history(run: TrainingRun) -> History:
        return History(tuple(run.history), run.best.epoch, run.stopped_early)

"""Stopping and going on: the state of a training run after an epoch, written at once or not at all."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, field, frozen

from autodiff.files import ArraySpec, ModelFile, ModelFileError, Section, same_json, write_model
from autodiff.optimizers.errors import StateMismatchError
from autodiff.settings import settings_from
from pgm.learning.errors import TrainingError
from pgm.learning.history import Epoch
from pgm.learning.training_run import Best, TrainingRun

__all__ = ["Checkpoint", "history_from"]

_KIND = "checkpoint"
_NAMES = {"stage", "epochs_of_stage", "stopped_early", "best_epoch", "best_score", "since", "history"}


@frozen(eq=False)
class Checkpoint:
    """A file that a training run writes after each epoch, and from which it can be taken up again, to the same bytes.

    Attributes
    ----------
    path : of the file
    description : plain values, what the run depends on besides the settings of its trainer and the number of examples,
        such as what the data is; a file of another description is refused
    """

    path: Path = field(converter=Path)
    description: dict[str, Any] = field(repr=False, factory=dict)

    @description.validator
    def _is_plain(self, _: Any, given: Any) -> None:
        try:
            json.dumps(given)
        except (TypeError, ValueError) as error:
            raise TypeError(f"Checkpoint: the description must be plain values, as in JSON: {error}") from None

    def write(self, run: TrainingRun) -> None:
        """Save where a run is."""
        best = run.best
        state = {
            "stage": run.stage, "epochs_of_stage": run.epochs_of_stage, "since": best.since, "best_epoch": best.epoch,
            "best_score": None if best.score == -np.inf else best.score,
            "stopped_early": run.stopped_early, "history": [asdict(epoch) for epoch in run.history],
        }  # fmt: skip
        sections = {
            "run": Section(state),
            "about": Section({"run": run.description, "more": self.description}),
            "best": Section({}, best.arrays),
            "store": Section({}, {} if run.over else run.store.state()),
        }
        write_model(self.path, _KIND, sections)

    def resume(self, run: TrainingRun) -> str:
        """Put a run where it was, if the file is there; return what was done, in a line.

        Raises
        ------
        TrainingError
            If the file is damaged, or of another run.
        """
        if not self.exists:
            return "there is no checkpoint to resume from: starting anew"
        file, state, history = self._read()
        if not same_json(file.settings["about"]["run"], run.description):
            raise self._other_run()
        try:
            if state["stage"] > len(run.trainer.stages):
                raise ValueError(f"stage {state['stage']} of {len(run.trainer.stages)}")
            run.stage, run.epochs_of_stage = state["stage"], state["epochs_of_stage"]
            specs = {
                "best": {name: ArraySpec(None, one.read().shape) for name, one in run.parameters.items()},
                "store": {} if run.over else run.store.specs(),
            }
            arrays = file.arrays({"run": {}, "about": {}, **specs})
            if not all(np.isfinite(array).all() for array in arrays["best"].values()):
                raise ValueError("the best parameters are not all finite")
            if not run.over:
                run.store.restore(arrays["store"])
        except (ValueError, StateMismatchError) as error:
            raise self._refusal(str(error)) from None
        score = -np.inf if state["best_score"] is None else state["best_score"]
        run.best = Best(state["best_epoch"], score, state["since"], arrays["best"])
        run.history, run.stopped_early = history, state["stopped_early"]
        return f"resumed after epoch {len(history)}"

    def check(self, model: str | os.PathLike[str]) -> None:
        """Raise TrainingError if one cannot go on from this file to a model file: before the work."""
        if self.exists:
            self._read()
        elif Path(model).exists():
            raise TrainingError(
                f"{os.fspath(model)}: is there, without a checkpoint: its training is over, or it is of another run; "
                "leave --resume out to train anew"
            )

    def _read(self) -> tuple[ModelFile, dict[str, Any], list[Epoch]]:
        """Return the file without its arrays, the state in it, and the history."""
        try:
            file = ModelFile.open(self.path, _KIND)
            file.expect("run", "about", "best", "store")
        except ModelFileError as error:
            raise self._refusal(str(error)) from None
        if file.settings["about"].keys() != {"run", "more"}:
            raise self._refusal("damaged: expected what it depends on in it")
        if not same_json(file.settings["about"]["more"], self.description):
            raise self._other_run()
        state = file.settings["run"]
        try:
            if set(state) != _NAMES:
                raise ValueError(f"expected {', '.join(sorted(_NAMES))}")
            for name in ("stage", "epochs_of_stage", "best_epoch", "since"):
                if type(state[name]) is not int or state[name] < 0:
                    raise ValueError(f"{name} is {str(state[name])[:40]}, expected a whole number of at least 0")
            if type(state["stopped_early"]) is not bool:
                raise ValueError(f"stopped_early is {str(state['stopped_early'])[:40]}")
            if type(state["best_score"]) not in (int, float, type(None)):
                raise ValueError(f"the best score is {str(state['best_score'])[:40]}")
            history = history_from(state["history"])
            if not (state["since"] <= len(history) and state["best_epoch"] <= len(history)):
                raise ValueError(f"{len(history)} epochs, the best {state['best_epoch']}, {state['since']} ago")
        except ValueError as error:
            raise self._refusal(f"damaged: {error}") from None
        return file, state, history

    def _other_run(self) -> TrainingError:
        return TrainingError(
            f"{self.path}: written by a run with other options or data; leave --resume out to start anew"
        )

    def _refusal(self, why: str) -> TrainingError:
        """Return the error that names the file, and says what is wrong with it and what to do."""
        reason = why.replace("; train the model anew", "")
        where = "" if reason.startswith(str(self.path)) else f"{self.path}: "
        return TrainingError(f"{where}{reason}; delete it, or leave --resume out, to start anew")

    @property
    def exists(self) -> bool:
        """Whether there is a file to go on from."""
        return self.path.exists()

    def remove(self) -> None:
        """Delete the file, after the end of the run."""
        self.path.unlink(missing_ok=True)


def history_from(given: Any) -> list[Epoch]:
    """Return the epochs of which a file has the values.

    >>> history_from([asdict(Epoch(1, "l2", 0.5))])[0].loss
    0.5
    """
    if not isinstance(given, list):
        raise ValueError(f"the history is {str(given)[:40]!r}, expected a list of epochs")
    epochs = [settings_from(Epoch, one) for one in given]
    for number, epoch in enumerate(epochs, start=1):
        if epoch.number != number:
            raise ValueError(f"the history has epoch {epoch.number} where epoch {number} is due")
    return epochs

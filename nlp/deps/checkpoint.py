"""Stopping and going on: the state of a training run after an epoch, written at once or not at all."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, field, frozen
from numpy.typing import NDArray

from autodiff.optimizers.errors import StateMismatchError
from nlp.deps.errors import ParserError
from nlp.deps.model_file import ModelFile, ModelFileError, subset, write_model
from nlp.deps.model_schema import checkpoint_arrays, history_from, same_json, whole_number
from nlp.deps.training import Epoch, Training

__all__ = ["Checkpoint"]


@frozen(eq=False)
class Checkpoint:
    """A file that a training run writes after each epoch, and from which it can be taken up again, to the same bytes.

    Attributes
    ----------
    path : of the file
    description : all that the run depends on; one with another description is refused
    """

    path: Path = field(converter=Path)
    description: dict[str, Any] = field(repr=False)

    def write(self, run: Training, best: tuple[float, NDArray[np.float64]], since: int, history: list[Epoch]) -> None:
        """Save where a run is."""
        arrays = {f"optimizer/{name}": array for name, array in run.store.state().items()}
        arrays["best"] = best[1]
        state = {"epoch": run.epoch, "score": best[0], "since": since, "history": [asdict(epoch) for epoch in history]}
        write_model(self.path, arrays, {"state": state, "description": self.description}, "checkpoint")

    def restore(self, run: Training) -> tuple[tuple[float, NDArray[np.float64]], int, list[Epoch]]:
        """Put a run where it was, and return its best weights with their score, how long ago, and the history.

        Raises
        ------
        ParserError
            If there is no such file, it is damaged, or of another run.
        """
        state = self.read()
        try:
            arrays = ModelFile.open(self.path, "checkpoint").arrays(checkpoint_arrays(run.store))
            run.store.restore(subset(arrays, "optimizer"))
        except (ModelFileError, StateMismatchError) as error:
            raise self._refusal(str(error)) from None
        if not np.isfinite(arrays["best"]).all():
            raise self._refusal("the best weights are not all finite")
        run.epoch = state["epoch"]
        return (state["score"], arrays["best"]), state["since"], state["history"]

    def read(self) -> dict[str, Any]:
        """Return the state in the file, without its arrays.

        Raises
        ------
        ParserError
            If there is no such file, it is damaged, or of another run.
        """
        try:
            settings = ModelFile.open(self.path, "checkpoint").settings
        except ModelFileError as error:
            raise self._refusal(str(error)) from None
        if set(settings) != {"state", "description"} or not same_json(settings["description"], self.description):
            raise ParserError(
                f"{self.path}: written by a run with other options or data; leave --resume out to start anew"
            )
        state = settings["state"]
        try:
            if not isinstance(state, dict) or set(state) != {"epoch", "score", "since", "history"}:
                raise ValueError("expected epoch, score, since and history")
            history = history_from(state["history"])
            if whole_number(state["epoch"], 1, "epoch") != len(history):
                raise ValueError(f"epoch {state['epoch']} and a history of {len(history)}")
            if whole_number(state["since"], 0, "since") >= len(history) or type(state["score"]) not in (int, float):
                raise ValueError(f"since is {state['since']} and score {str(state['score'])[:40]}")
        except ValueError as error:
            raise self._refusal(f"damaged: {error}") from None
        return {**state, "history": history}

    def _refusal(self, why: str) -> ParserError:
        """Return the error that names the file, and says what is wrong with it and what to do."""
        reason = why.replace("; train the model anew", "")
        where = "" if reason.startswith(str(self.path)) else f"{self.path}: "
        return ParserError(f"{where}{reason}; delete it, or leave --resume out, to start anew")

    def check(self, model: str | os.PathLike[str]) -> None:
        """Raise ParserError if one cannot go on from this file to the model."""
        if self.exists:
            self.read()
        elif Path(model).exists():
            raise ParserError(
                f"{model}: is there, without a checkpoint: its training is over, or it is of another run; "
                "leave --resume out to train anew"
            )

    @property
    def exists(self) -> bool:
        """Whether there is a file to go on from."""
        return self.path.exists()

    def remove(self) -> None:
        """Delete the file, after the end of the run."""
        if self.path.exists():
            os.unlink(self.path)

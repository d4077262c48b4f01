"""Stopping and going on: the state of a training run after an epoch, written at once or not at all."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, field, frozen
from numpy.typing import NDArray

from nlp.deps.errors import ParserError
from nlp.deps.model_file import ModelFileError, read_model, subset, write_model
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
        arrays = {f"optimizer/{name}": array for name, array in run.optimizer.state().items()}
        arrays["best"] = best[1]
        state = {"epoch": run.epoch, "score": best[0], "since": since, "history": [asdict(epoch) for epoch in history]}
        write_model(self.path, arrays, {"state": state, "description": self.description})

    def restore(self, run: Training) -> tuple[tuple[float, NDArray[np.float64]], int, list[Epoch]]:
        """Put a run where it was, and return its best weights with their score, how long ago, and the history."""
        arrays, state = self.read()
        run.optimizer.restore(subset(arrays, "optimizer"))
        run.epoch = state["epoch"]
        return (state["score"], arrays["best"]), state["since"], [Epoch(**epoch) for epoch in state["history"]]

    def read(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the arrays and the state in the file.

        Raises
        ------
        ParserError
            If there is no such file, or it is of another run.
        """
        try:
            arrays, settings = read_model(self.path)
        except ModelFileError as error:
            raise ParserError(f"{error}; delete it, or leave --resume out, to start anew") from None
        if "state" not in settings or settings.get("description") != json.loads(json.dumps(self.description)):
            raise ParserError(
                f"{self.path}: written by a run with other options or data; leave --resume out to start anew"
            )
        return arrays, settings["state"]

    def check(self, model: str | os.PathLike[str]) -> None:
        """Raise ParserError if one cannot go on from this file to the model."""
        if self.exists:
            self.read()
        elif Path(model).exists():
            raise ParserError(
                f"{model}: is there, without a checkpoint: its training is over; leave --resume out to train anew"
            )

    @property
    def exists(self) -> bool:
        """Whether there is a file to go on from."""
        return self.path.exists()

    def remove(self) -> None:
        """Delete the file, after the end of the run."""
        if self.path.exists():
            os.unlink(self.path)

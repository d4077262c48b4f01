"""Optimiser state in a safetensors file with class, settings and a checksum; written at once or not at all."""

import os

import numpy as np

from autodiff.files import TensorFile, TensorFileError, write_tensors
from autodiff.optimizers.errors import StateMismatchError
from autodiff.optimizers.optimizer import Optimizer
from autodiff.optimizers.settings import check_description

__all__ = ["load_state", "save_state"]

_KEY = "tacana optimizer"


def save_state(optimizer: Optimizer, path: str | os.PathLike[str]) -> None:
    """Write all that later steps of `optimizer` depend on; the file is whole or, after a crash, the old one.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> from autodiff.optimizers import Adam
    >>> parameters, gradients = {"w": np.zeros(2)}, {"w": np.ones(2)}
    >>> optimizer = Adam(0.1)
    >>> optimizer.step(parameters, gradients)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "optimizer.safetensors")
    ...     save_state(optimizer, path)
    ...     resumed = Adam(0.1)
    ...     load_state(resumed, path)
    >>> resumed.steps
    1
    """
    arrays = optimizer.arrays()
    description = bytes(arrays.pop("description")).decode()
    write_tensors(path, arrays, _KEY, description)


def load_state(optimizer: Optimizer, path: str | os.PathLike[str]) -> None:
    """Restore what `save_state` wrote into an optimiser made with the same settings; see there.

    Raises
    ------
    StateMismatchError
        If the file is no optimiser state, is damaged (it carries a checksum), or is that of another class or other
        settings; the message names the file, and the optimiser is as before.
    """
    try:
        file = TensorFile.open(path, _KEY)
        if not file.sealed and "steps" in file.entries:
            raise StateMismatchError(
                f"{file.path} was written by an older version, without a checksum: write it anew with save_state"
            )
        check_description(optimizer, file.text)
        state = file.arrays()
        state["description"] = np.frombuffer(file.text.encode(), dtype=np.uint8)
        optimizer.restore(state)
    except TensorFileError as error:
        raise StateMismatchError(f"{error}; it was not written by save_state, or not kept as it was") from None
    except StateMismatchError as error:
        name, message = os.fspath(path), " ".join(str(error).split())
        raise StateMismatchError(message if message.startswith(name) else f"{name}: {message}") from None

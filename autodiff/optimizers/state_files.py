"""Optimiser state in a safetensors file, with class and settings as JSON metadata; written atomically."""

import os
import secrets
from pathlib import Path

import numpy as np

from autodiff.optimizers.errors import StateMismatchError
from autodiff.optimizers.optimizer import Optimizer

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
    from safetensors.numpy import save_file  # slow to import, and only needed here

    path = Path(path)
    arrays = {key: np.ascontiguousarray(value) for key, value in optimizer.arrays().items()}
    description = bytes(arrays.pop("description")).decode()
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        # One entry only: safetensors writes several in no fixed order, and the same state gives the same bytes.
        save_file(arrays, temporary, metadata={_KEY: description})
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def load_state(optimizer: Optimizer, path: str | os.PathLike[str]) -> None:
    """Restore what `save_state` wrote into an optimiser made with the same settings; see there.

    Raises
    ------
    StateMismatchError
        If the file is no optimiser state, or that of another class or other settings.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            metadata = file.metadata() or {}
            if _KEY not in metadata:
                raise StateMismatchError(
                    f"{os.fspath(path)} was not written by save_state: its metadata have the entries "
                    f"{sorted(metadata)}, but no {_KEY!r}"
                )
            # A safetensors file is no mapping: it has keys but cannot be iterated.
            state = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise StateMismatchError(f"{os.fspath(path)} is not a whole safetensors file: {error}") from error
    state["description"] = np.frombuffer(metadata[_KEY].encode(), dtype=np.uint8)
    optimizer.restore(state)

"""The state of a store in a safetensors file with class, settings and a checksum; written at once or not at all."""

import os

import numpy as np

from autodiff.files import TensorFile, TensorFileError, write_tensors
from autodiff.optimizers.errors import StateMismatchError
from autodiff.optimizers.parameter_store import ParameterStore
from autodiff.optimizers.settings import check_description

__all__ = ["load_state", "save_state"]

_KEY = "tacana optimizer"


def save_state(store: ParameterStore, path: str | os.PathLike[str]) -> None:
    """Write all that later steps of a store depend on, weights included; after a crash, the file is the old one.

    Examples
    --------
    >>> import os, tempfile
    >>> from autodiff import Parameter
    >>> from autodiff.optimizers import Adam
    >>> store = Adam(0.1).store({"w": Parameter("w", [0.0, 1.0])})
    >>> store.add("w", np.ones(2))
    >>> store.step()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "optimizer.safetensors")
    ...     save_state(store, path)
    ...     resumed = Adam(0.1).store({"w": Parameter("w", [0.0, 0.0])})
    ...     load_state(resumed, path)
    >>> resumed.steps, resumed.parameters["w"].value.round(3)
    (1, array([-0.1,  0.9]))
    """
    arrays = store.arrays()
    description = bytes(arrays.pop("description")).decode()
    write_tensors(path, arrays, _KEY, description)


def load_state(store: ParameterStore, path: str | os.PathLike[str]) -> None:
    """Restore what `save_state` wrote into a store of the same parameters, made with the same settings; see there.

    Raises
    ------
    StateMismatchError
        If the file is no optimiser state, is damaged (it carries a checksum), or is that of another class or other
        settings or parameters; the message names the file, and the store is as before.
    """
    try:
        file = TensorFile.open(path, _KEY)
        if not file.sealed and "steps" in file.entries:
            raise StateMismatchError(
                f"{file.path} was written by an older version, without a checksum: write it anew with save_state"
            )
        check_description(store.optimizer, store.average, file.text)
        file.expect({name: spec for name, spec in store.specs().items() if name != "description"})
        state = file.arrays()
        state["description"] = np.frombuffer(file.text.encode(), dtype=np.uint8)
        store.restore(state)
    except TensorFileError as error:
        raise StateMismatchError(f"{error}; it was not written by save_state, or not kept as it was") from None
    except StateMismatchError as error:
        name, message = os.fspath(path), " ".join(str(error).split())
        raise StateMismatchError(message if message.startswith(name) else f"{name}: {message}") from None

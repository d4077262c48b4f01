"""The model file: safetensors with settings, templates and vocabulary tables, written at once or not at all."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlp.replacing import replacing, why_not_writable

__all__ = ["ModelFileError", "check_writable", "read_model", "subset", "write_model"]

_FORMAT = "tacana dependency model"
_VERSION = 1


class ModelFileError(ValueError):
    """A file is no model of this parser, or one of a newer version; the message says which."""


def write_model(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
    """Write arrays and settings: first beside the file, then in its place, so that a crash never leaves half a file."""
    from safetensors.numpy import save_file

    check_writable(path)
    about = {"format": _FORMAT, "version": _VERSION, "settings": settings}
    # One entry: safetensors writes several in any order, and the same model should be the same bytes.
    metadata = {"tacana": json.dumps(about, sort_keys=True)}
    with replacing(path) as file:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, file, metadata=metadata)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise ModelFileError if a file cannot be written there: before the work, not after it."""
    problem = why_not_writable(path)
    if problem is None and Path(path).exists() and not Path(path).is_file():
        problem = f"{path}: is no plain file, and a model can only be written to one"
    if problem is not None:
        raise ModelFileError(problem)


def read_model(path: str | os.PathLike[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and settings of a model file.

    Raises
    ------
    ModelFileError
        If it is none.
    """
    from safetensors import SafetensorError, safe_open

    if Path(path).is_dir():
        raise ModelFileError(f"{path}: is a directory, not a model file")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except FileNotFoundError:
        raise ModelFileError(f"{path}: there is no such file") from None
    except (SafetensorError, OSError) as error:
        raise ModelFileError(f"{path}: not a model file ({error}); train one with `tacana train`") from None
    about = json.loads(metadata.get("tacana", "{}"))
    if about.get("format") != _FORMAT:
        raise ModelFileError(f"{path}: a safetensors file, but not a model of this parser")
    if about["version"] > _VERSION:
        raise ModelFileError(f"{path}: written by a newer version ({about['version']}; this one reads {_VERSION})")
    return arrays, about["settings"]


def subset(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with `prefix/`, without it."""
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(prefix + "/")}

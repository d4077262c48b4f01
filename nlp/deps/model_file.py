"""The model file: safetensors with settings, templates, vocabulary tables and a checksum, at once or not at all."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from attrs import frozen
from numpy.typing import NDArray

from autodiff.files import ArraySpec, TensorFile, TensorFileError, why_not_writable, write_tensors

__all__ = ["ModelFile", "ModelFileError", "check_writable", "subset", "write_model"]

_KEY = "tacana"
_FORMATS = {"model": "tacana dependency model", "checkpoint": "tacana training checkpoint"}
_VERSION = 2  # 1 had no checksum

Kind = Literal["model", "checkpoint"]


class ModelFileError(ValueError):
    """A file is no model of this parser, is damaged, or of another version; the message names it and says which."""


def write_model(
    path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any], kind: Kind = "model"
) -> None:
    """Write arrays and settings: first beside the file, then in its place, so that a crash never leaves half a file."""
    check_writable(path)
    about = {"format": _FORMATS[kind], "version": _VERSION, "settings": settings}
    write_tensors(path, arrays, _KEY, json.dumps(about, sort_keys=True))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise ModelFileError if a file cannot be written there: before the work, not after it."""
    problem = why_not_writable(path)
    if problem is None and Path(path).exists() and not Path(path).is_file():
        problem = f"{path}: is no plain file, and a model can only be written to one"
    if problem is not None:
        raise ModelFileError(problem)


@frozen(eq=False)
class ModelFile:
    """A model file of which the settings have been read, and the arrays not yet."""

    file: TensorFile
    settings: dict[str, Any]

    @classmethod
    def open(cls, path: str | os.PathLike[str], kind: Kind = "model") -> "ModelFile":
        """Read the settings.

        Raises
        ------
        ModelFileError
            If it is no such file, or of another version.
        """
        name = os.fspath(path)
        try:
            file = TensorFile.open(path, _KEY)
        except FileNotFoundError:
            raise ModelFileError(f"{name}: there is no such file") from None
        except OSError as error:
            raise ModelFileError(f"{name}: {error.strerror or error}") from None
        except TensorFileError as error:
            raise ModelFileError(f"{error}; train a model with `tacana train`") from None
        try:
            about = json.loads(file.text)
        except (ValueError, RecursionError):
            raise ModelFileError(f"{name}: damaged: its settings are no JSON; train the model anew") from None
        if not isinstance(about, dict) or about.get("format") not in _FORMATS.values():
            raise ModelFileError(f"{name}: a safetensors file, but not a model of this parser")
        version = about.get("version")
        if isinstance(version, int) and version != _VERSION:
            age, remedy = ("a newer", "update tacana") if version > _VERSION else ("an older", "train the model anew")
            raise ModelFileError(
                f"{name}: written by {age} version of tacana (format {version}; this one reads {_VERSION}): {remedy}"
            )
        if set(about) != {"format", "version", "settings"} or not isinstance(about["settings"], dict):
            raise ModelFileError(f"{name}: damaged: expected format, version and settings in it; train the model anew")
        if about["format"] != _FORMATS[kind]:
            other = "a checkpoint of training, not a model; the model is beside it"
            raise ModelFileError(f"{name}: {other if kind == 'model' else 'a model, not a checkpoint of training'}")
        return cls(file, about["settings"])

    def damaged(self, why: str) -> ModelFileError:
        """Return the error that says what is wrong with the file."""
        return ModelFileError(f"{self.file.path}: damaged: {' '.join(why.split())}; train the model anew")

    def arrays(self, specs: Mapping[str, ArraySpec]) -> dict[str, NDArray[Any]]:
        """Read the arrays, if they are just those that are expected.

        Raises
        ------
        ModelFileError
            If they are not, before any of them is read; or if the checksum of the file is not that of its content.
        """
        try:
            self.file.expect(specs)
            return self.file.arrays()
        except TensorFileError as error:
            raise ModelFileError(f"{error}; train the model anew") from None


def subset(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with `prefix/`, without it."""
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(prefix + "/")}

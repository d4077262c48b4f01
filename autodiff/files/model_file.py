"""Models and checkpoints in a file: named sections, each of settings and arrays, each read by what wrote it.

A section is what an object says of itself: its settings as plain values (JSON), and its arrays.  A file is read in two
steps, as `TensorFile` is: first all settings, by which the readers decide what arrays there must be; then the arrays.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.files.replacing import why_not_writable
from autodiff.files.tensor_file import ArraySpec, TensorFile, TensorFileError, write_tensors

__all__ = ["ModelFile", "ModelFileError", "Section", "check_writable", "same_json", "write_model"]

_KEY = "tacana"
_VERSION = 3  # 1 had no checksum, 2 no sections


class ModelFileError(TensorFileError):
    """A file is not what was asked for, is damaged, or of another version; the message names it and says which."""


@frozen(eq=False)
class Section:
    """What an object writes of itself.

    Attributes
    ----------
    settings : plain values
    arrays : by names of its own
    """

    settings: dict[str, Any] = field(factory=dict)
    arrays: dict[str, NDArray[Any]] = field(factory=dict, repr=False)


def write_model(path: str | os.PathLike[str], kind: str, sections: Mapping[str, Section]) -> None:
    """Write sections: first beside the file, then in its place, so that a crash never leaves half a file.

    Parameters
    ----------
    kind : what it is, such as "model" or "checkpoint"; a reader asks for the same

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(f"{folder}/x", "model", {"scorer": Section({"bits": 1}, {"weights": np.zeros(2)})})
    ...     file = ModelFile.open(f"{folder}/x", "model")
    ...     file.settings["scorer"], file.arrays({"scorer": {"weights": ArraySpec("float64", (2,))}})
    ({'bits': 1}, {'scorer': {'weights': array([0., 0.])}})
    """
    check_writable(path)
    arrays = {f"{name}/{key}": array for name, one in sections.items() for key, array in one.arrays.items()}
    settings = {name: one.settings for name, one in sections.items()}
    about = {"format": f"tacana {kind}", "version": _VERSION, "sections": settings}
    write_tensors(path, arrays, _KEY, json.dumps(about, sort_keys=True))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise ModelFileError if a file cannot be written there: before the work, not after it.

    >>> check_writable("/no/such/folder/model")
    Traceback (most recent call last):
    autodiff.files.model_file.ModelFileError: /no/such/folder/model: ...
    """
    problem = why_not_writable(path)
    if problem is None and Path(path).exists() and not Path(path).is_file():
        problem = f"{path}: is no plain file, and a model can only be written to one"
    if problem is not None:
        raise ModelFileError(problem)


@frozen(eq=False)
class ModelFile:
    """A file of which the settings have been read, and the arrays not yet.

    Attributes
    ----------
    settings : of each section
    """

    file: TensorFile = field(repr=False)
    settings: dict[str, dict[str, Any]]

    @classmethod
    def open(cls, path: str | os.PathLike[str], kind: str) -> "ModelFile":
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
        form = about.get("format") if isinstance(about, dict) else None
        if not isinstance(form, str) or not form.startswith("tacana "):
            raise ModelFileError(f"{name}: a safetensors file, but not a model of tacana")
        version = about.get("version")
        if type(version) is int and version != _VERSION:
            age, remedy = ("a newer", "update tacana") if version > _VERSION else ("an older", "train the model anew")
            raise ModelFileError(
                f"{name}: written by {age} version of tacana (format {version}; this one reads {_VERSION}): {remedy}"
            )
        if form != f"tacana {kind}":
            beside = "; the model is beside it" if kind == "model" else ""
            raise ModelFileError(f"{name}: a {form.removeprefix('tacana ')[:40]}, not a {kind}{beside}")
        sections = about.get("sections")
        if type(version) is not int or set(about) != {"format", "version", "sections"} or not _are_sections(sections):
            raise ModelFileError(f"{name}: damaged: expected format, version and sections in it; train the model anew")
        return cls(file, sections)

    def expect(self, *sections: str) -> None:
        """Raise ModelFileError unless the file has just these sections."""
        odd = sorted(set(self.settings) ^ set(sections))
        if odd:
            raise self.damaged(f"its sections have or lack {', '.join(map(repr, odd))[:80]}")

    def damaged(self, why: str) -> ModelFileError:
        """Return the error that says what is wrong with the file."""
        return ModelFileError(f"{self.file.path}: damaged: {' '.join(why.split())}; train the model anew")

    def arrays(self, specs: Mapping[str, Mapping[str, ArraySpec]]) -> dict[str, dict[str, NDArray[Any]]]:
        """Read the arrays of each section, if they are just those that are expected.

        Raises
        ------
        ModelFileError
            If they are not, before any of them is read; or if the checksum of the file is not that of its content.
        """
        try:
            self.file.expect({f"{name}/{key}": spec for name, own in specs.items() for key, spec in own.items()})
            found = self.file.arrays()
        except TensorFileError as error:
            raise ModelFileError(f"{error}; train the model anew") from None
        return {name: {key: found[f"{name}/{key}"] for key in own} for name, own in specs.items()}


def _are_sections(given: Any) -> bool:
    return isinstance(given, dict) and all(isinstance(settings, dict) for settings in given.values())


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two values are the same in a file: true is not 1 there, and a tuple is a list.

    >>> same_json({"a": (1, 2)}, {"a": [1, 2]}), same_json(1, True)
    (True, False)
    """
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)

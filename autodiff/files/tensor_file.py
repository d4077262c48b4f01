"""Arrays and a text in one safetensors file, with a checksum over all of it.

The text is the one entry of the metadata (safetensors writes several in any order, and the same content should be the
same bytes).  The checksum, SHA-256 over names, dtypes, shapes, text and numbers, is an array of its own.  A file is
read in two steps: first the header, by which its reader decides whether these arrays are what it expects; only then the
arrays, which are given out if the checksum is right.
"""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.errors import AutodiffError, InputError
from autodiff.files.replacing import replacing

__all__ = ["ArraySpec", "TensorFile", "TensorFileError", "write_tensors"]

_CHECKSUM = "checksum"
_DTYPES = {
    "F64": "float64", "F32": "float32", "I64": "int64", "I32": "int32", "U64": "uint64", "U32": "uint32",
    "U8": "uint8", "BOOL": "bool",
}  # fmt: skip


class TensorFileError(AutodiffError, InputError, ValueError):
    """A file is damaged, or not what was expected; the message begins with its name."""


@frozen
class ArraySpec:
    """What an array in a file must be: its dtype, and its shape, None where any will do."""

    dtype: str | None
    shape: tuple[int | None, ...]

    def fits(self, dtype: str, shape: tuple[int, ...]) -> bool:
        """Tell whether an array is so.

        >>> ArraySpec("float32", (None, 2)).fits("float32", (7, 2))
        True
        """
        lengths = zip(shape, self.shape, strict=False)
        return (
            self.dtype in (dtype, None)
            and len(shape) == len(self.shape)
            and all(n == m or m is None for n, m in lengths)
        )

    def __str__(self) -> str:
        return f"{self.dtype or 'any'} ({', '.join('any' if n is None else str(n) for n in self.shape)})"


def write_tensors(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], key: str, text: str) -> None:
    """Write arrays and a text, at once or not at all.

    Raises
    ------
    OSError
        If it cannot be written: a full disk, a limit on the size of files.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tensors(f"{folder}/x", {"a": np.ones(2)}, "note", "two ones")
    ...     file = TensorFile.open(f"{folder}/x", "note")
    ...     file.text, file.arrays()["a"].tolist()
    ('two ones', [1.0, 1.0])
    """
    from safetensors import SafetensorError  # slow to import, and only needed here
    from safetensors.numpy import save_file

    if _CHECKSUM in arrays:
        raise ValueError(f"{os.fspath(path)}: an array cannot be called {_CHECKSUM!r}, the name of the checksum")
    for name, array in arrays.items():
        if str(np.asarray(array).dtype) not in _DTYPES.values():
            raise TensorFileError(
                f"{os.fspath(path)}: the array {name!r} is of {np.asarray(array).dtype} values; "
                f"a file has numbers of {sorted(_DTYPES.values())}"
            )
    whole = {name: np.ascontiguousarray(array).reshape(np.shape(array)) for name, array in arrays.items()}
    whole[_CHECKSUM] = np.frombuffer(_digest(key, text, whole), dtype=np.uint8)
    with replacing(path) as file:
        try:
            save_file(whole, file, metadata={key: text})
        except SafetensorError as error:
            message = " ".join(str(error).split())
            raise OSError(f"{os.fspath(path)}: cannot be written ({message}); what was there is unchanged") from None


@frozen(eq=False)
class TensorFile:
    """The header of a file that `write_tensors` wrote; its arrays are not read yet.

    Attributes
    ----------
    path, key : as given
    text : of the metadata
    entries : dtype and shape of each array
    """

    path: str = field(converter=os.fspath)
    key: str
    text: str = field(repr=False)
    entries: dict[str, tuple[str, tuple[int, ...]]]
    sealed: bool

    @classmethod
    def open(cls, path: str | os.PathLike[str], key: str) -> "TensorFile":
        """Read the header.

        Raises
        ------
        TensorFileError
            If it is no such file, or one of something else.
        OSError
            If it cannot be opened.
        """
        from safetensors import SafetensorError, safe_open

        path = os.fspath(path)
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise TensorFileError(f"{path} is not a plain file, but a directory or a device")
        with open(path, "rb"):
            pass  # an OSError that names the file, if there is to be one
        try:
            with safe_open(path, framework="numpy") as file:
                metadata = file.metadata() or {}
                slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - not a dict
                entries = {name: (str(one.get_dtype()), tuple(one.get_shape())) for name, one in slices.items()}
        except (SafetensorError, OSError, ValueError) as error:
            raise TensorFileError(f"{path} is not a whole safetensors file: {' '.join(str(error).split())}") from None
        if set(metadata) != {key}:
            raise TensorFileError(f"{path} is a safetensors file, but its metadata are not one entry {key!r}")
        known = {name: (_DTYPES.get(dtype, dtype), shape) for name, (dtype, shape) in entries.items()}
        sealed = known.pop(_CHECKSUM, None) == ("uint8", (hashlib.sha256().digest_size,))
        return cls(path, key, metadata[key], known, sealed)

    def expect(self, specs: Mapping[str, ArraySpec]) -> None:
        """Raise TensorFileError unless the file has just these arrays."""
        for name in sorted({*specs, *self.entries}):
            if name not in self.entries:
                raise TensorFileError(f"{self.path} is damaged: it lacks the array {name!r}")
            dtype, shape = self.entries[name]
            if name not in specs:
                raise TensorFileError(
                    f"{self.path} is damaged: it has an array {name[:80]!r} that does not belong in it"
                )
            if not specs[name].fits(dtype, shape):
                raise TensorFileError(
                    f"{self.path} is damaged: the array {name!r} is {dtype} {shape}, expected {specs[name]}"
                )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Read the arrays.

        Raises
        ------
        TensorFileError
            If the checksum is not theirs.
        """
        from safetensors import SafetensorError, safe_open

        if not self.sealed:
            raise TensorFileError(f"{self.path} is damaged: it has no checksum")
        try:
            with safe_open(self.path, framework="numpy") as file:
                arrays = {name: file.get_tensor(name) for name in self.entries}
                checksum = file.get_tensor(_CHECKSUM)
        except (SafetensorError, OSError, ValueError) as error:
            raise TensorFileError(
                f"{self.path} is not a whole safetensors file: {' '.join(str(error).split())}"
            ) from None
        if _digest(self.key, self.text, arrays) != checksum.tobytes():
            raise TensorFileError(f"{self.path} is damaged: its checksum is not that of its content")
        return arrays


def _digest(key: str, text: str, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the checksum of a file's content."""
    about = [[name, str(arrays[name].dtype), arrays[name].shape] for name in sorted(arrays)]
    total = hashlib.sha256(json.dumps([key, text, about]).encode())
    for name in sorted(arrays):
        total.update(np.ascontiguousarray(arrays[name]).data.cast("B") if arrays[name].size else b"")
    return total.digest()

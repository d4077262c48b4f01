"""Reading a file whole, unless it is larger than it can sensibly be."""

import gzip
import os
import stat

from autodiff.conversion import as_count
from autodiff.errors import InputError
from autodiff.files.naming import naming

__all__ = ["FileTooLargeError", "read_bounded"]


class FileTooLargeError(InputError, ValueError):
    """A file is larger than the limit; the message says which file, and the limit."""


def read_bounded(path: str | os.PathLike[str], limit: int, *, unzip: bool = False) -> bytes:
    """Return the bytes of a file, at most `limit` of them: a device such as /dev/zero has no end.

    With `unzip`, gzip is known by its first two bytes, and what comes out of it is what the limit is for.

    Raises
    ------
    FileTooLargeError
        If there are more; of a plain file, before anything is read.
    OSError, EOFError, zlib.error
        If the file cannot be read, or the gzip is broken.

    Examples
    --------
    >>> read_bounded("/dev/zero", 1000)
    Traceback (most recent call last):
    autodiff.files.bounded.FileTooLargeError: /dev/zero: larger than 1000 bytes
    """
    limit = as_count(limit, "read_bounded: limit")
    refusal = FileTooLargeError(f"{os.fspath(path)}: larger than {limit} bytes")
    with naming(path), open(path, "rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and os.fstat(file.fileno()).st_size > limit:
            raise refusal
        zipped = unzip and file.peek(2)[:2] == b"\x1f\x8b"
        data = bytearray()
        with gzip.GzipFile(fileobj=file) if zipped else file as source:
            while chunk := source.read(1 << 20):
                data += chunk
                if len(data) > limit:
                    raise refusal
    return bytes(data)

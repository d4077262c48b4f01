"""Standard output whose errors say that it is standard output."""

import errno
import io
import os
import sys
from typing import Any, NoReturn

__all__ = ["ClosedStream", "name_standard_output"]

_NAME = "standard output"


def name_standard_output() -> None:
    """Let errors of writing to `sys.stdout` bear its name, and let there be one if it was closed (`>&-`).

    For a closed one Python has None, and loses what is said.  What a caller has put in its place is left alone.
    """
    if sys.stdout is None:
        sys.stdout = ClosedStream(_NAME)
    elif sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.flush()
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Named(sys.stdout.fileno(), "wb", closefd=False)),
            encoding=sys.stdout.encoding,
            errors=sys.stdout.errors,
            line_buffering=sys.stdout.line_buffering,
            write_through=sys.stdout.write_through,
        )


class _Named(io.FileIO):
    """An open file whose errors bear a name; those of a descriptor have none."""

    def write(self, data: Any) -> Any:
        """Write, or raise an OSError with the name."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = _NAME
            raise


class ClosedStream(io.TextIOBase):
    """A text stream that says it is closed when something is written to it.

    Examples
    --------
    >>> ClosedStream("standard output").write("x")
    Traceback (most recent call last):
    OSError: [Errno 9] Bad file descriptor: 'standard output'
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def writable(self) -> bool:
        """Return True: it is for writing, and cannot."""
        return True

    def write(self, text: Any) -> NoReturn:
        """Raise an OSError that names the stream."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), self.name)

    @property
    def buffer(self) -> "ClosedStream":
        """The stream of bytes under it, just as closed."""
        return self

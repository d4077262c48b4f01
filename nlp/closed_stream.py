"""Standard output that was closed before the program began (`>&-`): Python has None for it, and loses what is said."""

import errno
import io
import os
from typing import Any, NoReturn

__all__ = ["ClosedStream"]


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

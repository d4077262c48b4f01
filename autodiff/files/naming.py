"""Errors of open files, which do not say by themselves what file it was."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["naming"]


@contextmanager
def naming(name: str | os.PathLike[str]) -> Iterator[None]:
    """Let each OSError of the block that bears no name of a file bear this one.

    Examples
    --------
    >>> with naming("/proc/self/mem"), open("/proc/self/mem", "rb") as file:
    ...     file.read(1)
    Traceback (most recent call last):
    OSError: [Errno 5] Input/output error: '/proc/self/mem'
    """
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:  # broken gzip is an OSError that has no number
            error.filename = os.fspath(name)
        raise

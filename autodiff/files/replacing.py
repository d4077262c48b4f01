"""Writing a file at once or not at all.

What is written goes to `.NAME.HEX.tmp` beside the file, on which its writer holds a lock until the end.  A process
that is killed leaves that file and loses the lock, so that the next one to write there knows it for a leftover and
deletes it.
"""

import errno
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # no POSIX: leftovers stay
    fcntl = None  # type: ignore[assignment]

__all__ = ["replacing", "why_not_writable"]

_LONGEST_NAME = 50  # characters of the name that the file beside it bears: the whole may be too long with an ending


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a file to write, which takes the place of `path` at the end; a crash leaves there what was there.

    File and directory are synchronised with the disk first.  Of a link, what it points to is replaced.  A device or a
    pipe is written to itself.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/x") as file:
    ...         _ = file.write_text("all of it")
    ...     Path(folder, "x").read_text()
    'all of it'
    """
    mode = _mode(path)
    target = Path(os.path.realpath(path))
    if mode is not None and not target.is_file():
        yield target
        return
    _remove_leftovers(target)
    beside, descriptor = _locked_beside(target)
    try:
        yield beside
        with open(beside, "rb+") as file:
            os.fsync(file.fileno())
        if mode is None:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        beside.chmod(mode)
        os.replace(beside, target)
        _synchronise_directory(target.parent)
    finally:
        beside.unlink(missing_ok=True)
        os.close(descriptor)


def why_not_writable(path: str | os.PathLike[str]) -> str | None:
    """Return why no file can be written there, or None: to be asked before the work, not after it.

    Examples
    --------
    >>> why_not_writable("no-such-directory/x")
    'no-such-directory/x: there is no directory no-such-directory; make it first'
    """
    target = Path(path)
    try:
        _mode(path)
        folder = Path(os.path.realpath(path)).parent
        if target.is_dir():
            return f"{target}: is a directory; give the name of a file"
        if not folder.is_dir():
            return f"{target}: there is no directory {target.parent}; make it first"
    except OSError as error:
        return f"{target}: {error.strerror}; give the name of a file"
    if not os.access(folder, os.W_OK):
        return f"{target}: the directory {target.parent} cannot be written to"
    return None


def _mode(path: str | os.PathLike[str]) -> int | None:
    """Return the permissions of what is there, None if nothing is; a loop of links is an OSError."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        raise OSError(errno.ENOTDIR, "a part of the path is no directory", os.fspath(path)) from error


def _locked_beside(target: Path) -> tuple[Path, int]:
    """Make a file beside the target, and return it with the descriptor that locks it."""
    while True:
        beside = target.with_name(f".{target.name[:_LONGEST_NAME]}.{secrets.token_hex(8)}.tmp")
        descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        if _lock(descriptor) is not False and beside.exists():
            return beside, descriptor
        os.close(descriptor)  # taken for a leftover between the two steps: make another


def _remove_leftovers(target: Path) -> None:
    """Delete what writers of the same file left beside it when they were killed; never what one is writing now."""
    pattern = re.compile(re.escape(f".{target.name[:_LONGEST_NAME]}.") + r"[0-9a-f]{16}\.tmp")
    with suppress(OSError):
        for entry in list(os.scandir(target.parent)):
            if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    descriptor = os.open(entry.path, os.O_RDONLY)
                    try:
                        if _lock(descriptor) is True:
                            os.unlink(entry.path)
                    finally:
                        os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Take the lock of an open file: False if somebody else has it, None on a file system without locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _synchronise_directory(folder: Path) -> None:
    with suppress(OSError):  # some file systems cannot
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

"""Writing a file at once or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing", "why_not_writable"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a file to write, which takes the place of `path` at the end; a crash leaves there what was there.

    Of a link, what it points to is replaced.  A device or a pipe is written to itself.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/x") as file:
    ...         _ = file.write_text("all of it")
    ...     Path(folder, "x").read_text()
    'all of it'
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        yield target
        return
    beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        yield beside
        mask = os.umask(0)
        os.umask(mask)
        beside.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def why_not_writable(path: str | os.PathLike[str]) -> str | None:
    """Return why no file can be written there, or None: to be asked before the work, not after it."""
    target = Path(path)
    folder = target.resolve().parent
    if target.is_dir():
        return f"{target}: is a directory; give the name of a file"
    if not folder.is_dir():
        return f"{target}: there is no directory {target.parent}; make it first"
    if not os.access(folder, os.W_OK):
        return f"{target}: the directory {target.parent} cannot be written to"
    return None

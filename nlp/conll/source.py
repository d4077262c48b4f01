"""Lines of bytes from a file, plain or gzipped, or from anything that can be read."""

import errno
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from typing import IO, Any, cast

from autodiff.files import naming
from nlp.conll.errors import ConllError
from nlp.conll.limits import DEFAULT_LIMITS, Limits

__all__ = ["Source"]

_GZIP_RATIO = 1032  # no byte of gzip stands for more

Source = str | PathLike[str] | IO[Any]
"""A path (`-` is standard input), or a file object, of bytes or of text."""


def name_of(source: Source) -> str:
    """Return how messages call a source.

    Examples
    --------
    >>> name_of("-"), name_of("train.conllu"), name_of(io.BytesIO())
    ('<stdin>', 'train.conllu', '<stream>')
    """
    if isinstance(source, str | PathLike):
        return "<stdin>" if source == "-" else fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def lines_of(source: Source, limits: Limits = DEFAULT_LIMITS) -> Generator[bytes, None, None]:
    r"""Give the lines of a source, each with its end; gzip is known by its first two bytes.

    Raises
    ------
    ConllError
        If the gzip is broken, or a line or the whole is longer than the limits allow.

    Examples
    --------
    >>> list(lines_of(io.BytesIO(gzip.compress(b"one\ntwo"))))
    [b'one\n', b'two']
    >>> list(lines_of(io.BytesIO(b"0123456789"), Limits(line=9)))
    Traceback (most recent call last):
    nlp.conll.errors.ConllError: <stream>:1: a line of more than 9 bytes; expected a treebank, one word on a line
    """
    name, number = name_of(source), 0
    with naming(name), _buffered(source) as stream:
        zipped = stream.peek(2)[:2] == b"\x1f\x8b"
        _check_size(stream, name, limits, zipped=zipped)
        if not zipped:
            yield from _limited(stream, name, limits)
            return
        try:
            with gzip.GzipFile(fileobj=stream) as unzipped, io.BufferedReader(cast(io.RawIOBase, unzipped)) as lines:
                for line in _limited(lines, name, limits):
                    number += 1
                    yield line
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            where = f"{name}:{number + 1}"
            raise ConllError(f"{where}: broken gzip ({error}); expected a whole .gz file or plain text") from None


def _limited(stream: IO[bytes], name: str, limits: Limits) -> Iterator[bytes]:
    """Give the lines of a stream, up to the limits."""
    left, longest, number = limits.megabytes * 1e6, limits.line, 0
    while line := stream.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise ConllError(
                f"{name}:{number}: a line of more than {longest} bytes; expected a treebank, one word on a line"
            )
        left -= len(line)
        if left < 0:
            raise _too_large(f"{name}:{number}", limits)
        yield line


def _check_size(stream: io.BufferedReader, name: str, limits: Limits, *, zipped: bool) -> None:
    """Refuse a file on disk that is too large before anything is made of it; gzip is unpacked once for that."""
    try:
        about = os.fstat(stream.fileno())
    except OSError:
        return  # nothing that has a size
    most = limits.megabytes * 1e6
    if not stat.S_ISREG(about.st_mode) or about.st_size * (_GZIP_RATIO if zipped else 1) <= most:
        return
    if not zipped or _unzips_beyond(stream, most):
        raise _too_large(f"{name}:1", limits)


def _unzips_beyond(stream: io.BufferedReader, most: float) -> bool:
    """Tell whether more than `most` bytes come out of gzip, and go back to its beginning."""
    start, size = stream.tell(), 0
    try:
        with gzip.GzipFile(fileobj=stream) as unzipped:
            while size <= most and (chunk := unzipped.read(1 << 20)):
                size += len(chunk)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return False  # broken: it is told where that is
    finally:
        stream.seek(start)
    return size > most


def _too_large(where: str, limits: Limits) -> ConllError:
    return ConllError(
        f"{where}: more than {limits.megabytes:g} MB; expected a smaller file, or a higher limit (--max-megabytes)"
    )


@contextmanager
def _buffered(source: Source) -> Iterator[io.BufferedReader]:
    """Open a path, and close it again; of a stream, only take the bytes."""
    if isinstance(source, str | PathLike) and source != "-":
        with open(source, "rb") as opened:
            yield opened
        return
    stream: Any = sys.stdin if isinstance(source, str | PathLike) else source
    if stream is None:  # standard input was closed before the program began
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "<stdin>")
    if isinstance(stream, io.TextIOBase):
        # a lone surrogate is no UTF-8, and is told so where its line is decoded
        stream = getattr(stream, "buffer", None) or io.BytesIO(stream.read().encode("utf-8", "surrogatepass"))
    if isinstance(stream, io.BufferedReader):
        yield stream
        return
    reader = io.BufferedReader(stream)
    try:
        yield reader
    finally:
        if not reader.closed:
            reader.detach()  # else the stream would be closed with the reader

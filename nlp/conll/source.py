"""Lines of bytes from a file, plain or gzipped, or from anything that can be read."""

import gzip
import io
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from typing import IO, Any, cast

from nlp.conll.errors import ConllError

__all__ = ["Source"]

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


def lines_of(source: Source) -> Generator[bytes, None, None]:
    r"""Give the lines of a source, each with its end; gzip is known by its first two bytes.

    Raises
    ------
    ConllError
        If the gzip is broken.

    Examples
    --------
    >>> list(lines_of(io.BytesIO(gzip.compress(b"one\ntwo"))))
    [b'one\n', b'two']
    """
    number = 0
    with _buffered(source) as stream:
        if stream.peek(2)[:2] != b"\x1f\x8b":
            yield from stream
            return
        try:
            with gzip.GzipFile(fileobj=stream) as unzipped, io.BufferedReader(cast(io.RawIOBase, unzipped)) as lines:
                for line in lines:
                    number += 1
                    yield line
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            where = f"{name_of(source)}:{number + 1}"
            raise ConllError(f"{where}: broken gzip ({error}); expected a whole .gz file or plain text") from None


@contextmanager
def _buffered(source: Source) -> Iterator[io.BufferedReader]:
    """Open a path, and close it again; of a stream, only take the bytes."""
    if isinstance(source, str | PathLike) and source != "-":
        with open(source, "rb") as opened:
            yield opened
        return
    stream: Any = sys.stdin if isinstance(source, str | PathLike) else source
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

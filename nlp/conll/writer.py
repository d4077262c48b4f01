"""Sentences to files, byte for byte as they were read where nothing was changed."""

import gzip
import io
import sys
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from autodiff.files import naming, replacing
from nlp.conll.sentence import Sentence

__all__ = ["write_sentences"]


def write_sentences(sentences: Iterable[Sentence], target: str | PathLike[str] | IO[Any]) -> int:
    """Write sentences, and return how many.

    Parameters
    ----------
    sentences : any number of them, taken one after the other
    target : path, `-` for standard output, or file object, of bytes or of text; what a path names is only replaced
        when all is written, and gzipped if the name ends in .gz (without a time stamp: the same gives the same bytes)

    Examples
    --------
    >>> from nlp.conll import Sentence
    >>> stream = io.BytesIO()
    >>> write_sentences([Sentence.from_words(["Go"])], stream), stream.getvalue()
    (1, b'1\\tGo\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\n\\n')
    """
    if isinstance(target, str | PathLike) and target != "-":
        return _write_path(sentences, Path(target))
    stream: Any = sys.stdout if isinstance(target, str | PathLike) else target
    if isinstance(stream, io.TextIOBase) and not hasattr(stream, "buffer"):
        return sum(stream.write(text) > 0 for text in _texts(sentences))
    if isinstance(stream, io.TextIOBase):
        stream.flush()
        stream = cast(Any, stream).buffer  # neither another encoding nor other ends of lines
    count = _write(sentences, stream)
    stream.flush()
    return count


def _write_path(sentences: Iterable[Sentence], path: Path) -> int:
    with naming(path), replacing(path) as beside, open(beside, "wb") as file:
        if path.name.endswith(".gz"):
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as zipped:
                return _write(sentences, cast(BinaryIO, zipped))
        return _write(sentences, file)


def _write(sentences: Iterable[Sentence], stream: BinaryIO) -> int:
    count = 0
    for text in _texts(sentences):
        stream.write(text.encode("utf-8"))
        count += 1
    return count


def _texts(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Give the text of each; where one from the end of a file is followed by another, set a blank line between them."""
    missing = ""
    for number, sentence in enumerate(sentences):
        text = sentence.text
        yield missing + (text.removeprefix("\ufeff") if number else text)
        last = sentence.lines[-1]
        blank = not last.strip(" \t\r\n")
        missing = ("" if last.endswith("\n") else "\n") + ("" if blank else "\n")

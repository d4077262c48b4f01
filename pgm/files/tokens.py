"""Text of a file as a stream of tokens; a line is only looked for when something is wrong with it."""

import gzip
import zlib
from os import PathLike
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from autodiff.files import FileTooLargeError, read_bounded, replacing
from pgm.errors import FileFormatError

__all__ = ["Tokens", "read_text", "write_text"]

AnyPath = str | PathLike[str]

MOST_BYTES = 1 << 28
"""Of a file, unzipped: its tokens take some twenty times as much memory, and models of the competitions a hundredth."""


def read_text(path: AnyPath) -> str:
    """Return the text of a file, plain or gzipped (known by its first bytes), in UTF-8.

    Raises
    ------
    FileFormatError
        If it is broken gzip, no UTF-8, or larger than MOST_BYTES.
    """
    try:
        data = read_bounded(path, MOST_BYTES, unzip=True)
    except FileTooLargeError as error:
        size = str(error).removeprefix(f"{path}: ")
        raise FileFormatError(f"{path}:1: {size}; expected a model, evidence or an answer") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileFormatError(f"{path}:1: broken gzip ({error}); expected a whole .gz file or plain text") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{path}:{line}: byte {data[error.start]:#04x} is not UTF-8; expected text") from None


def write_text(path: AnyPath, text: str) -> None:
    """Write text at once or not at all, gzipped if the name ends in .gz.

    Without a time stamp: the same text gives the same bytes.
    """
    data = text.encode("utf-8")
    with replacing(path) as file:
        file.write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


class Tokens:
    """The words of a text, read from the left; every complaint says `file:line: what, what was expected`.

    Examples
    --------
    >>> tokens = Tokens("model.uai", "2 # two\\n0.5 0.5", comment="#")
    >>> tokens.integer("a count"), tokens.numbers(2, "potentials").tolist()
    (2, [0.5, 0.5])
    >>> tokens.word("more")
    Traceback (most recent call last):
    pgm.errors.FileFormatError: model.uai:2: the file ends here; expected more
    """

    def __init__(self, path: AnyPath, text: str, *, comment: str | None = None) -> None:
        self.path = path
        self.lines = text.split("\n")
        if comment is not None and comment in text:
            self.lines = [line.split(comment, 1)[0] for line in self.lines]
            text = "\n".join(self.lines)
        self.words = text.split()
        self._plain = text.isascii() and "_" not in text  # Python's float reads 1_0 and ١: nobody else does
        self.position = 0

    @property
    def left(self) -> int:
        """The number of tokens that have not been read."""
        return len(self.words) - self.position

    def fail(self, what: str, expected: str, *, at: int | None = None) -> NoReturn:
        """Raise a FileFormatError at a token; by default the one that was read last."""
        position = self.position - 1 if at is None else at
        raise FileFormatError(f"{self.path}:{self._line(position)}: {what}; expected {expected}")

    def word(self, expected: str) -> str:
        """Return the next token."""
        self._need(1, expected)
        self.position += 1
        return self.words[self.position - 1]

    def integer(self, expected: str, *, low: int = 0, high: int | None = None) -> int:
        """Return the next token as a whole number from `low` to `high`."""
        word = self.word(expected)
        value = int(word) if word.isascii() and word.lstrip("-").isdigit() and len(word) < 19 else None
        if value is None or value < low or (high is not None and value > high):
            between = f"from {low} to {high}" if high is not None else f"of at least {low}"
            self.fail(f"{_shown(word)}", f"{expected}, a whole number {between}")
        return value

    def integers(self, count: int, expected: str, *, low: int = 0, high: int | None = None) -> list[int]:
        """Return the next tokens as whole numbers."""
        self._need(count, expected)
        return [self.integer(expected, low=low, high=high) for _ in range(count)]

    def numbers(self, count: int, expected: str, *, low: float = 0.0) -> NDArray[np.float64]:
        """Return the next tokens as finite numbers, none below `low`."""
        self._need(count, expected)
        start, self.position = self.position, self.position + count
        words = self.words[start : self.position]
        try:
            if not self._plain and not all(map(_is_number, words)):
                raise ValueError
            values = np.fromiter(map(float, words), dtype=np.float64, count=count)
        except ValueError:
            at = next(i for i, word in enumerate(words) if not _is_number(word))
            self.fail(_shown(words[at]), expected, at=start + at)
        bad = ~(np.isfinite(values) & (values >= low))
        if bad.any():
            at = int(np.argmax(bad))
            kind = "finite" if low == -np.inf else "finite and not negative"
            self.fail(_shown(words[at]), f"{expected}, {kind}", at=start + at)
        return values

    def end(self, expected: str) -> None:
        """Make sure that nothing is left."""
        if self.left:
            word = self.words[self.position]
            self.fail(f"{_shown(word)} after the end", expected, at=self.position)

    def _need(self, count: int, expected: str) -> None:
        if self.left < count:
            more = f" ({count} tokens, but only {self.left} are left)" if count > 1 else ""
            self.fail(f"the file ends here{more}", expected, at=len(self.words) - 1)

    def _line(self, position: int) -> int:
        """Return the line of a token, counted from 1."""
        for number, line in enumerate(self.lines, start=1):
            position -= len(line.split())
            if position < 0:
                return number
        return len(self.lines)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word.isascii() and "_" not in word


def _shown(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:37] + "...")

"""Tokens of the Bayesian Interchange Format.

A name is any run of characters without white space, quotes and `{}()[]|,;` (`<5`, `Asy/Patch` and `Transp.` are
names), or anything in quotes.  `//` and `/* */` are comments where a token could begin.
"""

import re
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from pgm.errors import FileFormatError
from pgm.files.tokens import AnyPath

__all__ = ["END", "BifTokens"]

END = ""
_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|("[^"\n]*"|[{}()\[\]|,;]|[^\s{}()\[\]|,;"]+)|(.)', re.DOTALL)
_PUNCTUATION = frozenset("{}()[]|,;")


class BifTokens:
    """The tokens of a text, read from the left.

    Examples
    --------
    >>> tokens = BifTokens("model.bif", "( a | b /* its parent */ ) 0.5, 0.5;")
    >>> tokens.literal("(")
    >>> tokens.names(")", "a variable", bar=True)
    ['a', 'b']
    >>> tokens.numbers(2)
    array([0.5, 0.5])
    """

    def __init__(self, path: AnyPath, text: str) -> None:
        self.path, self.text = path, text
        self._tokens: list[str] = []
        self._starts: list[int] = []
        self._next = 0
        for match in _TOKEN.finditer(text):
            if match.group(1) is not None:
                self._tokens.append(match.group(1))
                self._starts.append(match.start())
            elif match.group(2) is not None:
                line = text.count("\n", 0, match.start()) + 1
                raise FileFormatError(
                    f"{path}:{line}: a {match.group(2)!r} without its partner; expected a closed string"
                )

    def fail(self, what: str, expected: str) -> NoReturn:
        """Raise a FileFormatError at the token that was read last."""
        start = self._starts[min(self._next, len(self._starts)) - 1] if self._starts else 0
        line = self.text.count("\n", 0, start) + 1
        raise FileFormatError(f"{self.path}:{line}: {what}; expected {expected}")

    def peek(self) -> str:
        """Return the next token, which stays the next; END after the last."""
        return self._tokens[self._next] if self._next < len(self._tokens) else END

    def next(self, expected: str, *, or_end: bool = False) -> str:
        """Return the next token."""
        token = self.peek()
        if token == END and not or_end:
            self.fail("the file ends here", expected)
        self._next += 1
        return token

    def literal(self, token: str) -> None:
        """Read a certain token."""
        if (found := self.next(token)) != token:
            self.fail(repr(found[:40]), repr(token))

    def name(self, expected: str) -> str:
        """Return a name, without its quotes."""
        token = self.next(expected)
        if token in _PUNCTUATION:
            self.fail(repr(token), expected)
        return token[1:-1] if token[0] == '"' else token

    def names(self, closing: str, expected: str, *, bar: bool = False) -> list[str]:
        """Return names up to a closing token; commas between them may be missing, and one may be a bar."""
        found: list[str] = []
        separated = True
        while self.peek() != closing:
            if not separated and (self.peek() == "," or (bar and self.peek() == "|")):
                bar = bar and self.peek() != "|"
                self._next += 1
                separated = True
                continue
            found.append(self.name(expected))
            separated = False
        self._next += 1
        return found

    def numbers(self, count: int) -> NDArray[np.float64]:
        """Return probabilities up to a semicolon."""
        expected = f"{count} probabilities"
        values = []
        for word in self.names(";", expected):
            try:
                value = float(word)
            except ValueError:
                value = -1.0
            if not 0.0 <= value < np.inf or "_" in word or not word.isascii():
                self.fail(repr(word[:40]), f"{expected}, each finite and not negative")
            values.append(value)
        if len(values) != count:
            self.fail(f"{len(values)} numbers", expected)
        return np.array(values, dtype=np.float64)

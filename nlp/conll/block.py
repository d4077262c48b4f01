"""The lines between two blank lines, made a Sentence; every complaint says `file:line: what; expected what`."""

import re
from collections.abc import Sequence
from sys import intern
from typing import NoReturn

import numpy as np
from attrs import define, field

from nlp.conll.errors import ConllError
from nlp.conll.formats import CONLL_U, CONLL_X, EXPECTED_COLUMNS, Format, detect, is_number
from nlp.conll.sentence import Sentence
from nlp.conll.tree_check import find_cycle

__all__ = ["FileLayout", "LineBlock"]

_BLANK = " \t\r\n"
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
_EMPTY = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)


@define
class FileLayout:
    """What the words so far have told of a file: its format, and the number of columns where that is one number."""

    format: Format | None = None
    width: int = 0


@define
class LineBlock:
    """Some lines of a file, at least one of them not blank, in the order in which they are looked at.

    Examples
    --------
    >>> block = LineBlock("a.conll", 7, ["1\\tHello\\t_\\tUH\\tUH\\t_\\t0\\troot\\t_\\t_\\n"])
    >>> block.sentence(FileLayout(), strict_trees=True).relations
    ('root',)
    >>> LineBlock("a.conll", 7, ["1 Hello"]).sentence(FileLayout(), strict_trees=True)
    Traceback (most recent call last):
    nlp.conll.errors.ConllError: a.conll:7: 1 column; expected 10 or more columns, or 8 or 6, separated by tabs ...
    """

    source: str
    line: int
    lines: list[str]
    rows: list[list[str]] = field(factory=list, init=False)
    word_lines: list[int] = field(factory=list, init=False)

    def fail(self, index: int, what: str, expected: str) -> NoReturn:
        """Raise an error at one of the lines."""
        raise ConllError(f"{self.source}:{self.line + index}: {what}; expected {expected}")

    def sentence(self, layout: FileLayout, *, strict_trees: bool) -> Sentence:
        """Return the sentence, if all is well with it."""
        columns = self._split(layout)
        heads = self._heads(columns)
        if strict_trees:
            self._check_tree(heads, columns)
        array = np.array(heads, dtype=np.int64)
        array.flags.writeable = False
        table = list(zip(*self.rows, strict=True))
        nothing = ("_",) * len(heads)
        return Sentence(
            forms=tuple(map(intern, table[1])),
            lemmas=_merged(table, columns.lemma),
            coarse_tags=_merged(table, columns.coarse_tag),
            tags=_merged(table, columns.tag),
            feats=_merged(table, columns.feats),
            heads=array,
            relations=_merged(table, (columns.relation,)) if columns.relation < len(table) else nothing,
            format=columns,
            lines=tuple(self.lines),
            word_lines=tuple(self.word_lines),
            source=self.source,
            line=self.line,
        )

    def _split(self, layout: FileLayout) -> Format:
        """Gather the fields of all words; check the columns, and the order of all that has an id."""
        commented = False
        width = range_end = range_line = empty = 0
        for index, line in enumerate(self.lines):
            if index == 0 and self.line == 1:
                line = line.removeprefix("\ufeff")  # a byte order mark
            if line[:1] == "#":
                if width:
                    self.fail(index, "a comment within a sentence", "comments before its first word, or a blank line")
                commented = True
                continue
            if not line.strip(_BLANK):
                continue
            fields = line.rstrip(" \r\n").split("\t")
            if len(fields) != width or "" in fields:
                width = self._check_columns(index, fields, width, layout, commented)
            word, here = fields[0], len(self.rows)
            if word == str(here + 1):
                self.rows.append(fields)
                self.word_lines.append(index)
                empty = 0
                continue
            commented = True  # as certain a sign of CoNLL-U as comments are
            if match := _RANGE.fullmatch(word):
                first, last = int(match[1]), int(match[2])
                if first != here + 1 or last < first or range_end > here:
                    self._wrong_id(index, word)
                range_end, range_line = last, index
            elif (match := _EMPTY.fullmatch(word)) and (int(match[1]), int(match[2])) == (here, empty + 1):
                empty += 1
            else:
                self._wrong_id(index, word)
        if not self.rows:
            self.fail(len(self.lines) - 1, "a sentence without words", "a line for every word")
        if range_end > len(self.rows):
            self.fail(range_line, f"a range to word {range_end} of {len(self.rows)}", "a range within the sentence")
        if commented and layout.format is CONLL_X:
            layout.format = CONLL_U
        assert layout.format is not None  # there was a first word
        return layout.format

    def _check_columns(self, index: int, fields: list[str], width: int, layout: FileLayout, commented: bool) -> int:
        """Return the number of columns of this sentence, given what is known; the first also tells the format."""
        expected = width or layout.width
        while len(fields) > (expected or 10) and not fields[-1]:
            fields.pop()  # tabs after the last column
        if layout.format is None:
            layout.format = detect(fields, commented=commented)
            if layout.format is None:
                self.fail(index, _count(fields), EXPECTED_COLUMNS)
            expected = len(fields)
            layout.width = 0 if layout.format.varying else expected
        expected = expected or max(len(fields), 12)
        if len(fields) != expected:
            self.fail(index, _count(fields), f"{expected}, as before ({layout.format})")
        if "" in fields[: layout.format.relation + 1]:
            self.fail(index, f"column {fields.index('') + 1} is empty", "a value, or _ for none")
        return expected

    def _wrong_id(self, index: int, word: str) -> NoReturn:
        expected = f"word {len(self.rows) + 1}, or a range or an empty node that may stand here"
        self.fail(index, f"{_shown(word)} as id", expected)

    def _heads(self, columns: Format) -> list[int]:
        """Return the heads, -1 where there is none."""
        n = len(self.rows)
        if columns.head >= len(self.rows[0]):
            return [-1] * n
        numbers = {str(i): i for i in range(n + 1)}
        heads = [numbers.get(row[columns.head], -2) for row in self.rows]
        if -2 in heads:
            for index, head in enumerate(heads):
                if head == -2:
                    heads[index] = self._head(self.word_lines[index], self.rows[index][columns.head])
        return heads

    def _head(self, index: int, text: str) -> int:
        """Return a head that is written in some other way."""
        n = len(self.rows)
        if text == "_":
            return -1
        if not is_number(text):
            self.fail(index, f"{_shown(text)} as head", f"a whole number from 0 to {n}, or _ for none")
        if len(text) > 9 or int(text) > n:
            self.fail(index, f"head {_shown(text)} is no word", f"a head from 0 to {n}")
        return int(text)

    def _check_tree(self, heads: list[int], columns: Format) -> None:
        """Make sure that the heads are a tree; it may have several roots."""
        if -1 in heads:
            word = heads.index(-1)
            what = f"word {word + 1} has no head"
            self.fail(self.word_lines[word], what, f"one in column {columns.head + 1} (or strict_trees=False)")
        if 0 not in heads:
            self.fail(self.word_lines[0], "no word has head 0", "a root (or strict_trees=False)")
        if cycle := find_cycle(heads):
            way = " → ".join(map(str, [*cycle[:10], *(["…"] if len(cycle) > 10 else []), cycle[0]]))
            self.fail(self.word_lines[cycle[0] - 1], f"a cycle of heads, {way}", "a tree (or strict_trees=False)")


def _merged(table: Sequence[tuple[str, ...]], columns: tuple[int, ...]) -> tuple[str, ...]:
    """Return a column, with values of the next where it says nothing."""
    first, *others = (table[column] for column in columns)
    for other in others:
        if "_" in first:
            first = tuple(x if x != "_" else y for x, y in zip(first, other, strict=True))
    return tuple(map(intern, first))


def _count(fields: list[str]) -> str:
    return "1 column" if len(fields) == 1 else f"{len(fields)} columns"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")

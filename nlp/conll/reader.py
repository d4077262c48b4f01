"""Sentences from files in CoNLL-X, CoNLL-2009 and CoNLL-U."""

import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from nlp.conll.block import FileLayout, LineBlock
from nlp.conll.errors import ConllError, ConllWarning
from nlp.conll.limits import DEFAULT_LIMITS, Limits
from nlp.conll.sentence import Sentence
from nlp.conll.source import Source, lines_of, name_of

__all__ = ["read_all", "read_sentences"]


def read_sentences(
    source: Source,
    *,
    strict_trees: bool = True,
    on_warning: Callable[[str], object] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Sentence]:
    r"""Read sentences one after the other; the format is detected by what the file holds.

    Parameters
    ----------
    source : path, `-` for standard input, or file object, plain or gzipped
    strict_trees : whether heads must be there and be a tree; without, they may be `_`, and cycles are no error
    on_warning : called with a message for every tree of several roots (of strict_trees); without it, a ConllWarning at
        the end of the file says how many there were
    limits : how long a line, a sentence and a file may be

    Raises
    ------
    ConllError
        If the file is malformed: `file:line: what is wrong; expected what`.
    OSError
        If it cannot be opened or read.

    Examples
    --------
    >>> import io
    >>> text = b"# text = Go home\n1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\thome\thome\tADV\t_\t_\t1\tadvmod\t_\t_\n"
    >>> for sentence in read_sentences(io.BytesIO(text)):
    ...     print(sentence.forms, sentence.tags, sentence.heads, sentence.format)
    ('Go', 'home') ('VERB', 'ADV') [0 1] CoNLL-U
    >>> read_all(io.BytesIO(text.replace(b"\t1\t", b"\t3\t")))
    Traceback (most recent call last):
    nlp.conll.errors.ConllError: <stream>:3: head '3' is no word; expected a head from 0 to 2
    """
    layout = FileLayout()
    number, first, several = 0, "", 0
    with closing(_blocks(source, limits)) as blocks:  # so that an error leaves no file open
        for block in blocks:
            number += 1
            sentence = block.sentence(layout, strict_trees=strict_trees)
            roots = (sentence.heads == 0).sum() if strict_trees else 1
            if roots > 1:
                where = f"{sentence.source}:{sentence.line + sentence.word_lines[0]}"
                message = f"{where}: {roots} words have head 0; expected one root"
                several += 1
                first = first or message
                if on_warning is not None:
                    on_warning(message)
            yield sentence
    if several and on_warning is None:
        more = f" ({several} of {number} sentences have several roots)" if several > 1 else ""
        warnings.warn(first + more, ConllWarning, stacklevel=2)


def read_all(
    source: Source,
    *,
    strict_trees: bool = True,
    on_warning: Callable[[str], object] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Sentence]:
    """Read all sentences; see `read_sentences`.

    Examples
    --------
    >>> import io
    >>> read_all(io.BytesIO(b""))
    []
    """
    return list(read_sentences(source, strict_trees=strict_trees, on_warning=on_warning, limits=limits))


def _blocks(source: Source, limits: Limits) -> Generator[LineBlock, None, None]:
    """Give the lines of each sentence, with the blank lines after it; the first also has those before it."""
    name = name_of(source)
    lines: list[str] = []
    start, wordy, ended = 1, False, False
    with closing(lines_of(source, limits)) as all_lines:
        for number, line in enumerate(all_lines, start=1):
            blank = not line.strip(b" \t\r\n")
            if ended and not blank:
                yield LineBlock(name, start, lines)
                lines, start, wordy = [], number, False
            if len(lines) >= limits.lines:
                raise ConllError(
                    f"{name}:{number}: more than {limits.lines} lines of one sentence and the blank ones after it; "
                    "expected a blank line after each sentence"
                )
            wordy = wordy or not blank
            ended = blank and wordy
            try:
                lines.append(line.decode("utf-8"))
            except UnicodeDecodeError as error:
                byte = line[error.start]
                raise ConllError(f"{name}:{number}: byte {byte:#04x} is not UTF-8; expected text in UTF-8") from None
    if wordy:
        yield LineBlock(name, start, lines)

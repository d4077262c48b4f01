"""Parsing in several processes: sentences are independent, so the result is the same for any number of them."""

import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nlp.conll import Sentence
from nlp.deps.errors import ParserError

if TYPE_CHECKING:
    from nlp.deps.parser import DependencyParser

__all__ = ["parse_in_processes"]

_parser: "DependencyParser | None" = None
_sentences: list[Sentence] = []


def parse_in_processes(parser: "DependencyParser", sentences: list[Sentence], workers: int) -> list[NDArray[np.int64]]:
    """Return the heads of each sentence, in order.

    Processes are forked, so that they share the weights in memory; only numbers of sentences and heads go between them.

    Raises
    ------
    ParserError
        If one of them dies: killed, or out of memory.
    """
    global _parser, _sentences
    parser.heads(sentences[0])  # compiles, or loads from the cache, before there are several processes
    _parser, _sentences = parser, sentences
    executor = ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _ignore_interrupts)
    try:
        return list(executor.map(_heads, range(len(sentences)), chunksize=16))
    except BrokenProcessPool:
        raise ParserError(
            f"one of {workers} processes that parse was killed, perhaps for want of memory; try fewer --workers"
        ) from None
    finally:
        executor.shutdown(cancel_futures=True)  # after Ctrl-C, not one more batch of sentences
        _parser, _sentences = None, []


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which all processes of a terminal get, to the one that began the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _heads(number: int) -> NDArray[np.int64]:
    assert _parser is not None
    return _parser.heads(_sentences[number])

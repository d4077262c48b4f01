"""Parsing in several processes: sentences are independent, so the result is the same for any number of them."""

import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from nlp.conll import Sentence
from nlp.deps.analysis import Analysis
from nlp.deps.errors import ParserError

if TYPE_CHECKING:
    from nlp.deps.parser import DependencyParser

__all__ = ["parse_in_processes"]


def parse_in_processes(parser: "DependencyParser", sentences: list[Sentence], workers: int) -> list[Analysis]:
    """Return the analysis of each sentence, in order.

    Processes are forked, so that they share the weights in memory; only numbers of sentences and analyses go between
    them.

    Raises
    ------
    ParserError
        If one of them dies: killed, or out of memory.
    """
    parser.analyse(sentences[0])  # compiles, or loads from the cache, before there are several processes
    context = multiprocessing.get_context("fork")  # hands the arguments below over without copying them
    executor = ProcessPoolExecutor(workers, context, _begin, (parser, sentences))
    try:
        return list(executor.map(_analyse, range(len(sentences)), chunksize=16))
    except BrokenProcessPool:
        raise ParserError(
            f"one of {workers} processes that parse was killed, perhaps for want of memory; try fewer --workers"
        ) from None
    finally:
        executor.shutdown(cancel_futures=True)  # after Ctrl-C, not one more batch of sentences


def _begin(parser: "DependencyParser", sentences: list[Sentence]) -> None:
    """In a new process: note what it is to parse, and leave Ctrl-C to the process that began the work."""
    global _task
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _task = parser, sentences


_task: "tuple[DependencyParser, list[Sentence]]"  # of this process alone


def _analyse(number: int) -> Analysis:
    parser, sentences = _task
    return parser.analyse(sentences[number])

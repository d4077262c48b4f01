"""Parsing in several processes: sentences are independent, so the result is the same for any number of them."""

import multiprocessing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nlp.conll import Sentence

if TYPE_CHECKING:
    from nlp.deps.parser import DependencyParser

__all__ = ["parse_in_processes"]

_parser: "DependencyParser | None" = None
_sentences: list[Sentence] = []


def parse_in_processes(parser: "DependencyParser", sentences: list[Sentence], workers: int) -> list[NDArray[np.int64]]:
    """Return the heads of each sentence, in order.

    Processes are forked, so that they share the weights in memory; only numbers of sentences and heads go between them.
    """
    global _parser, _sentences
    parser.heads(sentences[0])  # compiles, or loads from the cache, before there are several processes
    _parser, _sentences = parser, sentences
    try:
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            return pool.map(_heads, range(len(sentences)), chunksize=16)
    finally:
        _parser, _sentences = None, []


def _heads(number: int) -> NDArray[np.int64]:
    assert _parser is not None
    return _parser.heads(_sentences[number])

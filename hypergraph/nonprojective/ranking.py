"""The best non-projective trees in order (Lawler 1972; Camerini, Fratta & Maffioli 1980), lazily.

The set of trees that are left is kept as disjoint parts, each with its best tree.  Once the best tree of a part has
been told, the part without it falls into at most n others: for each word m that is not bound, those trees in which the
words before m have the same heads as in the tree told, and m has another.  So no tree comes twice, and each costs n
searches for a best tree.
"""

import heapq
from collections.abc import Iterator
from itertools import count

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from hypergraph import kernels

__all__ = ["ranked_trees"]

Heads = NDArray[np.int64]


@frozen(order=True)
class _Part:
    """Trees in which words below `word` have the heads of the best of them, and `word` none of those in `refused`."""

    negative_score: float = field()
    number: int = field()  # of parts that tie, the first made comes first
    heads: Heads = field(order=False)
    word: int = field(order=False)
    refused: tuple[int, ...] = field(order=False)


def ranked_trees(scores: Floats, *, one_root: bool) -> Iterator[tuple[float, Heads]]:
    """Yield the score and the heads (n + 1,), -1 for the root, of every tree, best first; nothing if there is none.

    Parameters
    ----------
    scores : (n + 1, n + 1), log-weights of arcs h → m at [h, m]; the diagonal and the first column are not read

    Examples
    --------
    >>> scores = np.array([[0.0, 5, 1], [0, 0, 4], [0, 2, 0]])
    >>> for score, heads in ranked_trees(scores, one_root=False):
    ...     print(score, heads)
    9.0 [-1  0  1]
    6.0 [-1  0  0]
    3.0 [-1  2  0]
    """
    found = count()
    parts: list[_Part] = []

    def search(allowed: Floats, words: NDArray[np.int64], refused: list[tuple[int, ...]], limit: float) -> None:
        """Add the parts (number, n + 1, n + 1) of scores that have a tree, none better than `limit`."""
        totals, heads = np.empty(len(allowed)), np.full(allowed.shape[:2], -1)
        kernels.arborescence.best(allowed, np.full(len(allowed), len(scores) - 1), one_root, totals, heads)
        for i in np.flatnonzero(totals > -np.inf):
            # Rounding must not let a tree of a part seem better than the best tree of a larger part.
            heapq.heappush(parts, _Part(-min(totals[i], limit), next(found), heads[i], int(words[i]), refused[i]))

    search(scores[None], np.array([1]), [()], np.inf)
    while parts:
        best = heapq.heappop(parts)
        score = -float(best.negative_score)
        yield score, best.heads.copy()
        words = np.arange(best.word, len(scores))
        refused = [(*(best.refused if word == best.word else ()), int(best.heads[word])) for word in words]
        search(_divided(scores, best.heads, words, refused), words, refused, score)


def _divided(scores: Floats, heads: Heads, words: NDArray[np.int64], refused: list[tuple[int, ...]]) -> Floats:
    """Return (words, n + 1, n + 1): for each word, the scores of trees in which those before it have their heads."""
    modifiers = np.arange(1, len(scores))
    bound = np.full_like(scores, -np.inf)
    bound[heads[1:], modifiers] = scores[heads[1:], modifiers]
    result = np.where(np.arange(len(scores)) < words[:, None, None], bound, scores)
    for part, word, without in zip(result, words, refused, strict=True):
        part[list(without), word] = -np.inf
    return result

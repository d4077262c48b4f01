"""Which arcs of a tree are projective, and the projective tree that is nearest to it.

An arc h → m is projective if h is an ancestor of every word strictly between h and m; arcs from the root 0 always are,
since 0 is an ancestor of all words.  A tree is projective if all its arcs are: then none cross, those from 0 included.

Legend: n words, h head, m modifier.  Heads are those of words 1 … n, 0 for the root.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypergraph.batched import best_trees
from nlp.conll.tree_check import find_cycle

__all__ = ["is_projective", "nonprojective_arcs", "projectivise", "projectivise_all"]

Heads = NDArray[np.int64]

_CELLS = 1 << 20  # of scores in a batch: 8 MiB


def nonprojective_arcs(heads: ArrayLike) -> NDArray[np.bool_]:
    """Return (n,) whether the arc to each word is non-projective.

    Raises
    ------
    ValueError
        If the heads are no tree.

    Examples
    --------
    >>> nonprojective_arcs([0, 4, 1, 1]).tolist()  # word 3, between 2 and 4, is not below 4
    [False, True, False, False]
    """
    return _nonprojective(_check(heads))


def is_projective(heads: ArrayLike) -> bool:
    """Return whether no arc is non-projective.

    Examples
    --------
    >>> is_projective([2, 0, 2]), is_projective([0, 4, 1, 1])
    (True, False)
    """
    return not nonprojective_arcs(heads).any()


def projectivise(heads: ArrayLike, *, roots: Literal["any", "one"] = "any") -> Heads:
    """Return the heads of a projective tree that keeps as many arcs as any does (Carreras 2007).

    Among those it takes one whose other arcs come from near ancestors of the words, as if they had been lifted, and
    which has no new roots without need.  Always the same; a projective tree stays as it is.

    Parameters
    ----------
    heads : (n,)
    roots : whether the result may have "any" number of roots, or exactly "one"

    Examples
    --------
    >>> projectivise([0, 4, 1, 1]).tolist()
    [0, 1, 1, 1]
    >>> projectivise([0, 0, 2], roots="one").tolist()
    [0, 1, 2]
    """
    return projectivise_all([heads], roots=roots)[0]


def projectivise_all(trees: Sequence[ArrayLike], *, roots: Literal["any", "one"] = "any") -> list[Heads]:
    """Return `projectivise` of each tree, those of like length at once.

    Examples
    --------
    >>> [tree.tolist() for tree in projectivise_all([[0, 4, 1, 1], [0]])]
    [[0, 1, 1, 1], [0]]
    """
    if roots not in ("any", "one"):
        raise ValueError(f"roots is 'any' or 'one', not {roots!r}")
    result = [_check(tree).copy() for tree in trees]
    todo = [
        index
        for index, heads in enumerate(result)
        if _nonprojective(heads).any() or (roots == "one" and len(heads) and (heads == 0).sum() > 1)
    ]
    todo.sort(key=lambda index: len(result[index]))
    while todo:
        width = len(result[todo[-1]]) + 1
        count = max(1, _CELLS // width**2)
        todo, batch = todo[:-count], todo[-count:]
        scores = np.zeros((len(batch), width, width))
        for row, index in zip(scores, batch, strict=True):
            n = len(result[index])
            row[: n + 1, 1 : n + 1] = _scores(result[index])
        _, heads = best_trees(scores, [len(result[index]) for index in batch], roots=roots)
        for row, index in zip(heads, batch, strict=True):
            result[index] = row[1 : len(result[index]) + 1].astype(np.int64)
    return result


def _scores(heads: Heads) -> NDArray[np.float64]:
    """Return (n + 1, n) scores of arcs: 1 for those of the tree, and for the others what breaks ties.

    All that breaks ties is less than 1 for a whole tree: it lies between -1 / 4 (n + 2) and 1 / 4 (n + 2) a word.
    """
    n = len(heads)
    words = np.arange(n)
    scores = np.zeros((n + 1, n))
    scores[0] = -0.25 / (n + 2)
    distance, ancestor = 1, heads
    while (below := ancestor > 0).any():
        scores[ancestor[below], words[below]] = 0.5 / (n + 2) / distance
        distance, ancestor = distance + 1, np.where(below, heads[ancestor - 1], 0)
    scores[heads, words] = 1.0
    return scores


def _nonprojective(heads: Heads) -> NDArray[np.bool_]:
    n = len(heads)
    words = np.arange(1, n + 1)
    low, high = np.minimum(heads, words), np.maximum(heads, words)
    strange = np.ones((n + 1, n + 1), dtype=np.int32)  # [k, h]: k is not h, nor below it
    strange[words, words] = 0
    ancestor = heads
    while ancestor.any():
        strange[words, ancestor] = 0
        ancestor = np.where(ancestor > 0, heads[ancestor - 1], 0)
    total = strange.cumsum(axis=0)  # [k, h]: how many up to word k
    result: NDArray[np.bool_] = (heads > 0) & (total[high - 1, heads] > total[low, heads])
    return result


def _check(heads: ArrayLike) -> Heads:
    """Return heads as an array, if they are a tree."""
    array = np.asarray(heads)
    n = len(array) if array.ndim == 1 else 0
    if array.ndim != 1 or (n and array.dtype.kind not in "iu"):
        raise ValueError(
            f"heads of shape {array.shape} and type {array.dtype}; expected one whole number for each word"
        )
    array = array.astype(np.int64)
    if n and (array.min() < 0 or array.max() > n):
        raise ValueError(f"heads from {array.min()} to {array.max()}; expected heads from 0 to {n}")
    if cycle := find_cycle(array.tolist()):
        raise ValueError(f"words {cycle} depend on each other in a cycle; expected a tree")
    return array

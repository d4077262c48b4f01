"""Pairs of candidate arcs that a second-order model scores.

Legend: arc a from heads[a] to modifiers[a], sorted by modifier, then by head; g grandparent, h head, m modifier,
s sibling.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["crossings", "grandparents", "siblings"]


@kernel
def grandparents(heads, modifiers, start):
    """Return (pairs, 2): arcs g → h and h → m with g ≠ m; `start` (n + 2,) says where the arcs into each word begin."""
    count = 0
    for arc in range(len(heads)):
        h = heads[arc]
        if h > 0:
            for above in range(start[h], start[h + 1]):
                if heads[above] != modifiers[arc]:
                    count += 1
    pairs = np.empty((count, 2), dtype=np.int64)
    count = 0
    for arc in range(len(heads)):
        h = heads[arc]
        if h > 0:
            for above in range(start[h], start[h + 1]):
                if heads[above] != modifiers[arc]:
                    pairs[count, 0] = above
                    pairs[count, 1] = arc
                    count += 1
    return pairs


@kernel
def siblings(heads, modifiers, n):
    """Return (pairs, 2): arcs h → m and h → s with m before s, by head."""
    start = np.zeros(n + 2, dtype=np.int64)
    for arc in range(len(heads)):
        start[heads[arc] + 1] += 1
    start = np.cumsum(start)
    filled = start[:-1].copy()
    by_head = np.empty(len(heads), dtype=np.int64)
    for arc in range(len(heads)):  # arcs come by modifier, so those of a head do too
        by_head[filled[heads[arc]]] = arc
        filled[heads[arc]] += 1
    count = 0
    for h in range(n + 1):
        size = start[h + 1] - start[h]
        count += size * (size - 1) // 2
    pairs = np.empty((count, 2), dtype=np.int64)
    count = 0
    for h in range(n + 1):
        for one in range(start[h], start[h + 1]):
            for other in range(one + 1, start[h + 1]):
                pairs[count, 0] = by_head[one]
                pairs[count, 1] = by_head[other]
                count += 1
    return pairs


@kernel
def _cross(i, j, k, l):  # noqa: E741 - as in Smith & Eisner
    """Whether arcs i → j and k → l cross: one end of either is strictly between those of the other."""
    low, high = min(i, j), max(i, j)
    inside = (low < k < high) + (low < l < high)
    outside = (k < low or k > high) + (l < low or l > high)
    return inside == 1 and outside == 1


@kernel
def crossings(heads, start):
    """Return (pairs, 3) and (words, 2): candidate arcs that cross, each two with the number of their words j < l.

    `start` (n + 2,) says where the arcs into each word begin.
    """
    n = len(start) - 2
    count = total = 0
    for listing in range(2):  # first count, then list
        if listing:
            pairs, words = np.empty((count, 3), dtype=np.int64), np.empty((total, 2), dtype=np.int64)
        count = total = 0
        for j in range(1, n + 1):
            for l in range(j + 1, n + 1):  # noqa: E741
                before = count
                for one in range(start[j], start[j + 1]):
                    for other in range(start[l], start[l + 1]):
                        if _cross(heads[one], j, heads[other], l):
                            if listing:
                                pairs[count, 0], pairs[count, 1], pairs[count, 2] = one, other, total
                            count += 1
                if count > before:
                    if listing:
                        words[total, 0], words[total, 1] = j, l
                    total += 1
    return pairs, words

"""Pairs of candidate arcs that a second-order model scores.

Legend: arc a from heads[a] to modifiers[a], sorted by modifier, then by head; g grandparent, h head, m modifier,
s sibling.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["grandparents", "siblings"]


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

"""Whether a list of dependency arcs makes sense, and which of them go into each word."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["HEADLESS", "NO_FLAW", "OUTSIDE", "TWICE", "by_modifier", "flaw"]

NO_FLAW, OUTSIDE, TWICE, HEADLESS = range(4)


@kernel
def flaw(heads, modifiers, n):
    """Return what is wrong with arcs on n words, and with which arc (or word, for HEADLESS)."""
    for a in range(len(heads)):
        if not (0 <= heads[a] <= n and 1 <= modifiers[a] <= n):
            return OUTSIDE, a
    has_head = np.zeros(n + 1, dtype=np.bool_)
    for a in range(len(heads)):
        if heads[a] != modifiers[a]:
            has_head[modifiers[a]] = True
    for m in range(1, n + 1):
        if not has_head[m]:
            return HEADLESS, m
    there = np.zeros((n + 1, n + 1), dtype=np.bool_)  # no more than the square of the number of arcs, now
    for a in range(len(heads)):
        if there[heads[a], modifiers[a]]:
            return TWICE, a
        there[heads[a], modifiers[a]] = True
    return NO_FLAW, -1


@kernel
def by_modifier(heads, modifiers, n):
    """Return the arcs that are no loops, by modifier, and (n + 2,) where those into each word begin."""
    start = np.zeros(n + 2, dtype=np.int64)
    for a in range(len(heads)):
        if heads[a] != modifiers[a]:
            start[modifiers[a] + 1] += 1
    for m in range(n + 1):
        start[m + 1] += start[m]
    filled = start[:-1].copy()
    order = np.empty(start[-1], dtype=np.int64)
    for a in range(len(heads)):
        if heads[a] != modifiers[a]:
            order[filled[modifiers[a]]] = a
            filled[modifiers[a]] += 1
    return order, start

"""Sums and maxima over the relations of each arc, and pairs of them; `RelationSums` says what the arrays are."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["best", "pairs", "sums"]


@kernel
def sums(starts, scores, totals, shares):
    """Write log Σ exp of the scores of each arc, and the share of each relation; -inf is a real zero."""
    for arc in range(len(starts) - 1):
        first, last = starts[arc], starts[arc + 1]
        top = -np.inf
        for i in range(first, last):
            top = max(top, scores[i])
        if top == -np.inf:
            totals[arc] = -np.inf
            for i in range(first, last):
                shares[i] = 0.0
            continue
        total = 0.0
        for i in range(first, last):
            shares[i] = np.exp(scores[i] - top)
            total += shares[i]
        for i in range(first, last):
            shares[i] /= total
        totals[arc] = top + np.log(total)


@kernel
def best(starts, values, found):
    """Write the place of the greatest value of each arc, the first of equals."""
    for arc in range(len(starts) - 1):
        place = starts[arc]
        for i in range(starts[arc] + 1, starts[arc + 1]):
            if values[i] > values[place]:
                place = i
        found[arc] = place


@kernel
def pairs(siblings, starts, labels, width):
    """Return all pairs of relations of pairs of arcs: starts (pairs + 1,), and for each its label, r × width + q, and
    the places of r and q in `labels`.
    """
    begins = np.zeros(len(siblings) + 1, dtype=np.int64)
    for p in range(len(siblings)):
        one, other = siblings[p]
        begins[p + 1] = begins[p] + (starts[one + 1] - starts[one]) * (starts[other + 1] - starts[other])
    total = begins[-1]
    both, first = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    second = np.empty(total, dtype=np.int64)
    k = 0
    for p in range(len(siblings)):
        one, other = siblings[p]
        for i in range(starts[one], starts[one + 1]):
            for j in range(starts[other], starts[other + 1]):
                both[k], first[k], second[k] = labels[i] * width + labels[j], i, j
                k += 1
    return begins, both, first, second

"""Sums and maxima over the relations of each arc; `RelationSums` says what the arrays are."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["best", "sums"]


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

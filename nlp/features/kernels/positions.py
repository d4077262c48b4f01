"""What the positions of a part's words answer, and which parts share a pair of words."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["answers", "distinct_pairs"]

_PAIR, _SHAPE, _SIDE, _ADJACENT = 0, 1, 2, 3  # as in nlp.features.layout
_BIN_OF_DISTANCE = np.array([0, *range(10), *([10] * 10), *([11] * 10), *([12] * 10), 13])
_BINS = 14
_COUNT_BINS = 5


@kernel
def answers(sources, class_counts, a, b, c, out):
    """Fill `out` (2, parts) with rows of the table of answers."""
    out[:] = 0
    for s in range(len(sources)):
        which, first, second, kind, half, start, stride = sources[s]
        x = a if first == 0 else (b if first == 1 else c)
        y = a if second == 0 else (b if second == 1 else c)
        for p in range(len(a)):
            if which == _PAIR:
                distance = min(abs(x[p] - y[p]), 41)
                answer = _BIN_OF_DISTANCE[distance] + (_BINS if x[p] < y[p] else 0)
            elif which == _SHAPE:  # which of the three words is in the middle
                answer = 2
                if (a[p] < b[p]) == (b[p] < c[p]):
                    answer = 0
                elif (a[p] < c[p]) == (c[p] < b[p]):
                    answer = 1
            elif which == _SIDE:
                answer = 1 if (b[p] < a[p]) == (c[p] < a[p]) else 0
                if c[p] == a[p]:  # there is no sibling
                    answer = 2
            elif which == _ADJACENT:
                answer = 1 if abs(x[p] - y[p]) == 1 else 0
            else:
                low, high = min(x[p], y[p]), max(x[p], y[p])
                # Words before `high`, less those up to `low`; none if the two are one.
                number = class_counts[kind, high] - class_counts[kind, min(low + 1, high)]
                answer = min(number, _COUNT_BINS - 1)
            out[half, p] += start + stride * answer


@kernel
def distinct_pairs(a, b, square, first, second, inverse):
    """Write each distinct pair of words once, and for each part which of them it has; return how many there are.

    `square` (n + 1, n + 1) of -1 is for scratch.
    """
    total = 0
    for p in range(len(a)):
        known = square[a[p], b[p]]
        if known < 0:
            known = total
            square[a[p], b[p]] = known
            first[known] = a[p]
            second[known] = b[p]
            total += 1
        inverse[p] = known
    return total

"""What the positions of a part's words answer, and which parts share a pair of words."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["above", "answers", "distinct_pairs", "outside"]

_PAIR, _SHAPE, _SIDE, _ADJACENT = 0, 1, 2, 3  # as in nlp.features.layout
_BIN_OF_DISTANCE = np.array([0, *range(10), *([10] * 10), *([11] * 10), *([12] * 10), 13])
_BINS = 14
_COUNT_BINS = 5


@kernel
def outside(positions, n):
    """Return the first part whose position is not from 0 to n, or -1."""
    for p in range(len(positions)):
        if not 0 <= positions[p] <= n:
            return p
    return -1


@kernel
def above(values, smallest, a, b, c):
    """Return the values that are greater in size, and the words of their parts."""
    kept = np.empty(len(values))
    x, y, z = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    count = 0
    for p in range(len(values)):
        if abs(values[p]) > smallest:
            kept[count], x[count], y[count], z[count] = values[p], a[p], b[p], c[p]
            count += 1
    return kept[:count], x[:count], y[:count], z[:count]


@kernel
def answers(sources, class_counts, a, b, c):
    """Return (2, parts): rows of the table of answers."""
    out = np.zeros((2, len(a)), dtype=np.int32)
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
    return out


@kernel
def distinct_pairs(a, b, size):
    """Return the distinct pairs of words, all below `size`, in two arrays, and for each part which of them it has."""
    square = np.full((size, size), -1)
    first, second, inverse = np.empty_like(a), np.empty_like(a), np.empty_like(a)
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
    return first[:total], second[:total], inverse

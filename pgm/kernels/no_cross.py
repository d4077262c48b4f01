"""Sums over the arcs to one word that cross, or do not, each arc to another word: all in linear time.

Legend: factor f; P places in the sentence; word j, whose arc comes from place i; `other` word l, whose arc comes from
place k with log-weight v[k] (-inf for none).  The arcs cross if one of k, l is strictly between i and j and the other
strictly outside.  One end of the interval is always j, so four running sums give everything, and nothing is subtracted:
  prefix[t] over k < t, suffix[t] over k ≥ t, left[t] over t ≤ k < j (t ≤ j), right[t] over j < k < t (t > j).
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["backward", "forward"]

PREFIX, SUFFIX, LEFT, RIGHT = 0, 1, 2, 3


@kernel
def forward(v, j, other, maximum, cross, free):
    """Write log Σ e^v (with `maximum`, max v) over crossing and free k into `cross`, `free` (F, P): -inf at i = j."""
    places = v.shape[1]
    sums = np.empty((4, places + 1))
    for f in range(len(v)):
        _running(v[f], j[f], maximum, sums)
        for i in range(places):
            if i == j[f]:
                cross[f, i], free[f, i] = -np.inf, -np.inf
                continue
            strict, closed, before, after = _interval(i, j[f])
            if min(i, j[f]) < other[f] < max(i, j[f]):
                cross[f, i] = _join(sums[PREFIX, before], sums[SUFFIX, after + 1], maximum)
                free[f, i] = _join(sums[closed[0], closed[1]], v[f, j[f]], maximum)
            elif other[f] == i:
                cross[f, i], free[f, i] = -np.inf, sums[PREFIX, places]
            else:
                cross[f, i] = sums[strict[0], strict[1]]
                free[f, i] = _join(sums[PREFIX, before + 1], sums[SUFFIX, after], maximum)


@kernel
def backward(v, j, other, cross, free, d_cross, d_free, d_v):
    """Add to the adjoint of v, given those of `cross` and `free` (sums)."""
    places = v.shape[1]
    sums = np.empty((4, places + 1))
    d_sums = np.empty((4, places + 1))
    for f in range(len(v)):
        _running(v[f], j[f], False, sums)
        d_sums[:] = 0.0
        for i in range(places):
            if i == j[f]:
                continue
            strict, closed, before, after = _interval(i, j[f])
            if min(i, j[f]) < other[f] < max(i, j[f]):
                d_sums[PREFIX, before] += d_cross[f, i] * _ratio(sums[PREFIX, before], cross[f, i])
                d_sums[SUFFIX, after + 1] += d_cross[f, i] * _ratio(sums[SUFFIX, after + 1], cross[f, i])
                d_sums[closed[0], closed[1]] += d_free[f, i] * _ratio(sums[closed[0], closed[1]], free[f, i])
                d_v[f, j[f]] += d_free[f, i] * _ratio(v[f, j[f]], free[f, i])
            elif other[f] == i:
                d_sums[PREFIX, places] += d_free[f, i]
            else:
                d_sums[strict[0], strict[1]] += d_cross[f, i]
                d_sums[PREFIX, before + 1] += d_free[f, i] * _ratio(sums[PREFIX, before + 1], free[f, i])
                d_sums[SUFFIX, after] += d_free[f, i] * _ratio(sums[SUFFIX, after], free[f, i])
        _running_back(v[f], j[f], sums, d_sums, d_v[f])


@kernel
def _interval(i, j):
    """Return where the sums strictly inside, and inside with i, are; and the first and last place of the arc."""
    if i < j:
        return (LEFT, i + 1), (LEFT, i), i, j
    return (RIGHT, i), (RIGHT, i + 1), j, i


@kernel
def _running(v, j, maximum, sums):
    places = len(v)
    sums[PREFIX, 0] = sums[SUFFIX, places] = sums[LEFT, j] = sums[RIGHT, j + 1] = -np.inf
    for t in range(places):
        sums[PREFIX, t + 1] = _join(sums[PREFIX, t], v[t], maximum)
    for t in range(places - 1, -1, -1):
        sums[SUFFIX, t] = _join(sums[SUFFIX, t + 1], v[t], maximum)
    for t in range(j - 1, -1, -1):
        sums[LEFT, t] = _join(sums[LEFT, t + 1], v[t], maximum)
    for t in range(j + 1, places):
        sums[RIGHT, t + 1] = _join(sums[RIGHT, t], v[t], maximum)


@kernel
def _running_back(v, j, sums, d_sums, d_v):
    places = len(v)
    for t in range(places - 1, -1, -1):
        _share(sums, d_sums, d_v, v, PREFIX, t + 1, t, t)
    for t in range(places):
        _share(sums, d_sums, d_v, v, SUFFIX, t, t + 1, t)
    for t in range(j):
        _share(sums, d_sums, d_v, v, LEFT, t, t + 1, t)
    for t in range(places - 1, j, -1):
        _share(sums, d_sums, d_v, v, RIGHT, t + 1, t, t)


@kernel
def _share(sums, d_sums, d_v, v, which, whole, part, t):
    """Hand the adjoint of a running sum on to the sum before it and to the entry that it took in."""
    adjoint = d_sums[which, whole]
    if adjoint != 0.0:
        d_sums[which, part] += adjoint * _ratio(sums[which, part], sums[which, whole])
        d_v[t] += adjoint * _ratio(v[t], sums[which, whole])


@kernel
def _ratio(part, whole):
    return 0.0 if part == -np.inf else np.exp(part - whole)


@kernel
def _join(one, other, maximum):
    if one > other:
        one, other = other, one
    return other if maximum or one == -np.inf else other + np.log1p(np.exp(one - other))

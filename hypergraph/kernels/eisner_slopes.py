"""First-order projective trees in the log domain: log-slopes log ∂Z/∂w of every arc, also where w = 0, and their
adjoint.

What a factor needs that sends messages: an arc's slope does not depend on its own weight.  With `maximise` sums become
maxima: slope + score is then the arc's max-marginal.  Outside values (an A before the name) are in logs as well, so
that nothing underflows; what flows back along a term is its share of the sum.  Legend, charts and `first` as in
`eisner_real`.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["NUM_CHARTS", "backward", "slopes"]

NUM_CHARTS = 10
RIGHT, LEFT, SPAN, FROM_LEFT, FROM_RIGHT, A_RIGHT, A_LEFT, A_SPAN, A_FROM_LEFT, A_FROM_RIGHT = range(10)


@kernel
def slopes(scores, n, first, maximise, chart, slope):
    """Fill the charts (NUM_CHARTS, N, N) and log-slopes (N, N) of one sentence; return log Z (or the best score)."""
    chart[:] = -np.inf
    slope[:] = -np.inf
    total = _inside(scores, n, first, maximise, chart)
    right, left, span = chart[RIGHT], chart[LEFT], chart[SPAN]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    a_right, a_left, a_span = chart[A_RIGHT], chart[A_LEFT], chart[A_SPAN]
    a_from_left, a_from_right = chart[A_FROM_LEFT], chart[A_FROM_RIGHT]
    if first == 0:
        a_right[0, n] = 0.0
    else:
        for m in range(1, n + 1):
            slope[0, m] = left[1, m] + right[m, n]
            a_left[1, m] = _plus(a_left[1, m], scores[0, m] + right[m, n], maximise)
            a_right[m, n] = _plus(a_right[m, n], scores[0, m] + left[1, m], maximise)
    for i in range(first, n + 1):
        for j in range(n, i, -1):
            _spread(a_right[i, j], from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j],
                    a_from_left[i, i + 1 : j + 1], a_right[i + 1 : j + 1, j], maximise)  # fmt: skip
            _spread(a_left[i, j], left[i, i:j], from_right[i:j, j], a_left[i, i:j], a_from_right[i:j, j], maximise)
            slope[i, j] = a_from_left[i, j] + span[i, j]
            a_span[i, j] = a_from_left[i, j] + scores[i, j]
            if i > 0:
                slope[j, i] = a_from_right[i, j] + span[i, j]
                a_span[i, j] = _plus(a_span[i, j], a_from_right[i, j] + scores[j, i], maximise)
            _spread(a_span[i, j], right[i, i:j], left[i + 1 : j + 1, j],
                    a_right[i, i:j], a_left[i + 1 : j + 1, j], maximise)  # fmt: skip
    return total


@kernel
def _inside(scores, n, first, maximise, chart):
    right, left, span = chart[RIGHT], chart[LEFT], chart[SPAN]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    for i in range(n, first - 1, -1):
        right[i, i] = 0.0
        left[i, i] = 0.0
        for j in range(i + 1, n + 1):
            span[i, j] = _sum(right[i, i:j], left[i + 1 : j + 1, j], maximise)
            from_left[i, j] = scores[i, j] + span[i, j]
            if i > 0:
                from_right[i, j] = scores[j, i] + span[i, j]
            right[i, j] = _sum(from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j], maximise)
            left[i, j] = _sum(left[i, i:j], from_right[i:j, j], maximise)
    if first == 0:
        return right[0, n]
    return _sum(scores[0, 1 : n + 1] + left[1, 1 : n + 1], right[1 : n + 1, n], maximise)


@kernel
def _plus(old, term, maximise):
    high, low = max(old, term), min(old, term)
    if maximise or low == -np.inf:
        return high
    return high + np.log1p(np.exp(low - high))


@kernel
def _sum(one, other, maximise):
    """Return log Σ_k exp(one[k] + other[k]), or the maximum."""
    best = -np.inf
    for k in range(len(one)):
        best = max(best, one[k] + other[k])
    if maximise or best == -np.inf:
        return best
    total = 0.0
    for k in range(len(one)):
        total += np.exp(one[k] + other[k] - best)
    return best + np.log(total)


@kernel
def _spread(around, one, other, a_one, a_other, maximise):
    """Add what surrounds an item to what surrounds the parts of each way to make it."""
    if around > -np.inf:
        for k in range(len(one)):
            a_one[k] = _plus(a_one[k], around + other[k], maximise)
            a_other[k] = _plus(a_other[k], around + one[k], maximise)


@kernel
def backward(scores, n, first, chart, slope, slope_adjoint, score_adjoint):
    """Add to `score_adjoint` (N, N) that of the scores, given that of the log-slopes (sums, not maxima)."""
    d_chart = np.zeros_like(chart)
    _outside_backward(scores, n, first, chart, slope, slope_adjoint, d_chart, score_adjoint)
    right, left, span = chart[RIGHT], chart[LEFT], chart[SPAN]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    d_right, d_left, d_span = d_chart[RIGHT], d_chart[LEFT], d_chart[SPAN]
    d_from_left, d_from_right = d_chart[FROM_LEFT], d_chart[FROM_RIGHT]
    for i in range(first, n + 1):
        for j in range(n, i, -1):
            _sum_backward(d_right[i, j], right[i, j], from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j],
                          d_from_left[i, i + 1 : j + 1], d_right[i + 1 : j + 1, j])  # fmt: skip
            _sum_backward(d_left[i, j], left[i, j], left[i, i:j], from_right[i:j, j],
                          d_left[i, i:j], d_from_right[i:j, j])  # fmt: skip
            score_adjoint[i, j] += d_from_left[i, j]
            d_span[i, j] += d_from_left[i, j]
            if i > 0:
                score_adjoint[j, i] += d_from_right[i, j]
                d_span[i, j] += d_from_right[i, j]
            _sum_backward(d_span[i, j], span[i, j], right[i, i:j], left[i + 1 : j + 1, j],
                          d_right[i, i:j], d_left[i + 1 : j + 1, j])  # fmt: skip


@kernel
def _outside_backward(scores, n, first, chart, slope, slope_adjoint, d_chart, score_adjoint):
    right, left = chart[RIGHT], chart[LEFT]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    a_right, a_left, a_span = chart[A_RIGHT], chart[A_LEFT], chart[A_SPAN]
    a_from_left, a_from_right = chart[A_FROM_LEFT], chart[A_FROM_RIGHT]
    d_right, d_left, d_span = d_chart[RIGHT], d_chart[LEFT], d_chart[SPAN]
    d_from_left, d_from_right = d_chart[FROM_LEFT], d_chart[FROM_RIGHT]
    da_right, da_left = d_chart[A_RIGHT], d_chart[A_LEFT]
    da_from_left, da_from_right = d_chart[A_FROM_LEFT], d_chart[A_FROM_RIGHT]
    for i in range(n, first - 1, -1):
        for j in range(i + 1, n + 1):
            flow = _spread_backward(a_span[i, j], right[i, i:j], left[i + 1 : j + 1, j],
                                    a_right[i, i:j], a_left[i + 1 : j + 1, j],
                                    d_right[i, i:j], d_left[i + 1 : j + 1, j],
                                    da_right[i, i:j], da_left[i + 1 : j + 1, j])  # fmt: skip
            if flow != 0.0:
                part = flow * np.exp(a_from_left[i, j] + scores[i, j] - a_span[i, j])
                da_from_left[i, j] += part
                score_adjoint[i, j] += part
                if i > 0:
                    part = flow * np.exp(a_from_right[i, j] + scores[j, i] - a_span[i, j])
                    da_from_right[i, j] += part
                    score_adjoint[j, i] += part
            if slope[i, j] > -np.inf:
                da_from_left[i, j] += slope_adjoint[i, j]
                d_span[i, j] += slope_adjoint[i, j]
            if i > 0 and slope[j, i] > -np.inf:
                da_from_right[i, j] += slope_adjoint[j, i]
                d_span[i, j] += slope_adjoint[j, i]
            da_left[i, j] += _spread_backward(
                a_left[i, j], left[i, i:j], from_right[i:j, j], a_left[i, i:j], a_from_right[i:j, j],
                d_left[i, i:j], d_from_right[i:j, j], da_left[i, i:j], da_from_right[i:j, j],
            )  # fmt: skip
            da_right[i, j] += _spread_backward(
                a_right[i, j], from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j],
                a_from_left[i, i + 1 : j + 1], a_right[i + 1 : j + 1, j],
                d_from_left[i, i + 1 : j + 1], d_right[i + 1 : j + 1, j],
                da_from_left[i, i + 1 : j + 1], da_right[i + 1 : j + 1, j],
            )  # fmt: skip
    if first == 1:
        for m in range(1, n + 1):
            if slope[0, m] > -np.inf:
                d_left[1, m] += slope_adjoint[0, m]
                d_right[m, n] += slope_adjoint[0, m]
            if da_left[1, m] != 0.0:
                part = da_left[1, m] * np.exp(scores[0, m] + right[m, n] - a_left[1, m])
                score_adjoint[0, m] += part
                d_right[m, n] += part
            if da_right[m, n] != 0.0:
                part = da_right[m, n] * np.exp(scores[0, m] + left[1, m] - a_right[m, n])
                score_adjoint[0, m] += part
                d_left[1, m] += part


@kernel
def _spread_backward(around, one, other, a_one, a_other, d_one, d_other, da_one, da_other):
    """Return the adjoint of what surrounds the item, and add to those of its parts."""
    total = 0.0
    if around > -np.inf:
        for k in range(len(one)):
            if da_one[k] != 0.0 and other[k] > -np.inf:
                flow = da_one[k] * np.exp(around + other[k] - a_one[k])
                total += flow
                d_other[k] += flow
            if da_other[k] != 0.0 and one[k] > -np.inf:
                flow = da_other[k] * np.exp(around + one[k] - a_other[k])
                total += flow
                d_one[k] += flow
    return total


@kernel
def _sum_backward(flow, item, one, other, d_one, d_other):
    if flow != 0.0 and item > -np.inf:
        for k in range(len(one)):
            share = flow * np.exp(one[k] + other[k] - item)
            d_one[k] += share
            d_other[k] += share

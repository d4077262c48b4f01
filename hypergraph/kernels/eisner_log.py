"""First-order projective trees in the log domain: the fallback of `eisner_real`, right for any log-weights.

The same charts, here of log inside values; then, as in `engine_log`, probabilities of each way to make an item given
the item, which need no outside values.  An exponential for each way, computed anew in each pass: O(n²) memory.
Legend, charts and `first` as in `eisner_real`.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["NUM_CHARTS", "backward", "inside", "outside"]

NUM_CHARTS = 10
RIGHT, LEFT, SPAN, FROM_LEFT, FROM_RIGHT, P_RIGHT, P_LEFT, P_SPAN, P_FROM_LEFT, P_FROM_RIGHT = range(10)


@kernel
def inside(scores, lengths, first, charts, log_partition):
    """Fill the inside charts of (batch, NUM_CHARTS, N, N), and `log_partition`."""
    for b in range(len(lengths)):
        n, score = lengths[b], scores[b]
        right, left, span = charts[b, RIGHT], charts[b, LEFT], charts[b, SPAN]
        from_left, from_right = charts[b, FROM_LEFT], charts[b, FROM_RIGHT]
        for i in range(n, first - 1, -1):
            right[i, i] = 0.0
            left[i, i] = 0.0
            for j in range(i + 1, n + 1):
                span[i, j] = _log_sum(right[i, i:j], left[i + 1 : j + 1, j])
                from_left[i, j] = score[i, j] + span[i, j]
                from_right[i, j] = score[j, i] + span[i, j] if i > 0 else -np.inf
                right[i, j] = _log_sum(from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j])
                left[i, j] = _log_sum(left[i, i:j], from_right[i:j, j])
        if first == 0:
            log_partition[b] = right[0, n]
        else:
            log_partition[b] = _log_sum(score[0, 1 : n + 1] + left[1, 1 : n + 1], right[1 : n + 1, n])


@kernel
def _log_sum(one, other):
    """Return log Σ_k exp(one[k] + other[k])."""
    best = -np.inf
    for k in range(len(one)):
        best = max(best, one[k] + other[k])
    if best == -np.inf:
        return best
    total = 0.0
    for k in range(len(one)):
        total += np.exp(one[k] + other[k] - best)
    return best + np.log(total)


@kernel
def outside(scores, lengths, first, charts, log_partition, marginals):
    """Fill the charts of posterior probabilities, and `marginals` (batch, N, N)."""
    for b in range(len(lengths)):
        n = lengths[b]
        right, left, span = charts[b, RIGHT], charts[b, LEFT], charts[b, SPAN]
        from_left, from_right = charts[b, FROM_LEFT], charts[b, FROM_RIGHT]
        charts[b, P_RIGHT:] = 0.0
        p_right, p_left, p_span = charts[b, P_RIGHT], charts[b, P_LEFT], charts[b, P_SPAN]
        p_from_left, p_from_right = charts[b, P_FROM_LEFT], charts[b, P_FROM_RIGHT]
        if first == 0:
            p_right[0, n] = 1.0
        else:
            for m in range(1, n + 1):
                share = np.exp(scores[b, 0, m] + left[1, m] + right[m, n] - log_partition[b])
                marginals[b, 0, m] = share
                p_left[1, m] = share
                p_right[m, n] = share
        for i in range(first, n + 1):
            for j in range(n, i, -1):
                _share(p_right[i, j], right[i, j], from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j],
                       p_from_left[i, i + 1 : j + 1], p_right[i + 1 : j + 1, j])  # fmt: skip
                _share(p_left[i, j], left[i, j], left[i, i:j], from_right[i:j, j],
                       p_left[i, i:j], p_from_right[i:j, j])  # fmt: skip
                p_span[i, j] = p_from_left[i, j] + p_from_right[i, j]
                _share(p_span[i, j], span[i, j], right[i, i:j], left[i + 1 : j + 1, j],
                       p_right[i, i:j], p_left[i + 1 : j + 1, j])  # fmt: skip
                marginals[b, i, j] = p_from_left[i, j]
                marginals[b, j, i] = p_from_right[i, j]


@kernel
def _share(mass, item, one, other, p_one, p_other):
    """Divide the probability of an item among the ways to make it."""
    if mass > 0.0:
        for k in range(len(one)):
            share = mass * np.exp(one[k] + other[k] - item)
            p_one[k] += share
            p_other[k] += share


@kernel
def backward(scores, lengths, first, charts, log_partition, direction, adjoint):
    """Fill `adjoint` with that of the log-weights, given `direction`, the adjoint of the marginals.

    `rise` and `fall` as in `engine_log.backward`, for each of the five kinds of item.
    """
    for b in range(len(lengths)):
        n = lengths[b]
        rise = np.zeros((5, n + 1, n + 1))
        fall = np.zeros((5, n + 1, n + 1))
        _rise(charts[b], n, first, direction[b], rise)
        right, left = charts[b, RIGHT], charts[b, LEFT]
        if first == 0:
            fall[RIGHT, 0, n] = -rise[RIGHT, 0, n]
        else:
            top = 0.0
            for m in range(1, n + 1):
                share = np.exp(scores[b, 0, m] + left[1, m] + right[m, n] - log_partition[b])
                if share > 0.0:
                    top += share * (direction[b, 0, m] + rise[LEFT, 1, m] + rise[RIGHT, m, n])
            for m in range(1, n + 1):
                share = np.exp(scores[b, 0, m] + left[1, m] + right[m, n] - log_partition[b])
                if share > 0.0:
                    flow = share * (direction[b, 0, m] + rise[LEFT, 1, m] + rise[RIGHT, m, n] - top)
                    adjoint[b, 0, m] = flow
                    fall[LEFT, 1, m] += flow - share * rise[LEFT, 1, m]
                    fall[RIGHT, m, n] += flow - share * rise[RIGHT, m, n]
        _fall(charts[b], n, first, direction[b], rise, fall, adjoint[b])


@kernel
def _rise(chart, n, first, direction, rise):
    right, left, span = chart[RIGHT], chart[LEFT], chart[SPAN]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    for i in range(n, first - 1, -1):
        for j in range(i + 1, n + 1):
            rise[SPAN, i, j] = _mean_rise(span[i, j], right[i, i:j], left[i + 1 : j + 1, j],
                                          rise[RIGHT, i, i:j], rise[LEFT, i + 1 : j + 1, j])  # fmt: skip
            rise[FROM_LEFT, i, j] = direction[i, j] + rise[SPAN, i, j]
            rise[FROM_RIGHT, i, j] = direction[j, i] + rise[SPAN, i, j]
            rise[RIGHT, i, j] = _mean_rise(right[i, j],
                                           from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j],
                                           rise[FROM_LEFT, i, i + 1 : j + 1],
                                           rise[RIGHT, i + 1 : j + 1, j])  # fmt: skip
            rise[LEFT, i, j] = _mean_rise(left[i, j], left[i, i:j], from_right[i:j, j],
                                          rise[LEFT, i, i:j], rise[FROM_RIGHT, i:j, j])  # fmt: skip


@kernel
def _mean_rise(item, one, other, rise_one, rise_other):
    total = 0.0
    if item > -np.inf:
        for k in range(len(one)):
            share = np.exp(one[k] + other[k] - item)
            if share > 0.0:
                total += share * (rise_one[k] + rise_other[k])
    return total


@kernel
def _fall(chart, n, first, direction, rise, fall, adjoint):
    right, left, span = chart[RIGHT], chart[LEFT], chart[SPAN]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    p_right, p_left, p_span = chart[P_RIGHT], chart[P_LEFT], chart[P_SPAN]
    p_from_left, p_from_right = chart[P_FROM_LEFT], chart[P_FROM_RIGHT]
    for i in range(first, n + 1):
        for j in range(n, i, -1):
            _share_fall(p_right[i, j], fall[RIGHT, i, j], right[i, j],
                        from_left[i, i + 1 : j + 1], right[i + 1 : j + 1, j],
                        rise[FROM_LEFT, i, i + 1 : j + 1], rise[RIGHT, i + 1 : j + 1, j],
                        fall[FROM_LEFT, i, i + 1 : j + 1], fall[RIGHT, i + 1 : j + 1, j])  # fmt: skip
            _share_fall(p_left[i, j], fall[LEFT, i, j], left[i, j], left[i, i:j], from_right[i:j, j],
                        rise[LEFT, i, i:j], rise[FROM_RIGHT, i:j, j],
                        fall[LEFT, i, i:j], fall[FROM_RIGHT, i:j, j])  # fmt: skip
            # An arc has one way to be made, from its span: its share is 1, and what flows on is fall + p · rise.
            rightward = fall[FROM_LEFT, i, j] + p_from_left[i, j] * rise[FROM_LEFT, i, j]
            leftward = fall[FROM_RIGHT, i, j] + p_from_right[i, j] * rise[FROM_RIGHT, i, j]
            adjoint[i, j] = rightward
            adjoint[j, i] = leftward
            fall[SPAN, i, j] = rightward + leftward - p_span[i, j] * rise[SPAN, i, j]
            _share_fall(p_span[i, j], fall[SPAN, i, j], span[i, j], right[i, i:j], left[i + 1 : j + 1, j],
                        rise[RIGHT, i, i:j], rise[LEFT, i + 1 : j + 1, j],
                        fall[RIGHT, i, i:j], fall[LEFT, i + 1 : j + 1, j])  # fmt: skip


@kernel
def _share_fall(mass, fall, item, one, other, rise_one, rise_other, fall_one, fall_other):
    if mass > 0.0:
        for k in range(len(one)):
            share = np.exp(one[k] + other[k] - item)
            if share > 0.0:
                flow = share * (fall + mass * (rise_one[k] + rise_other[k]))
                fall_one[k] += flow - share * mass * rise_one[k]
                fall_other[k] += flow - share * mass * rise_other[k]

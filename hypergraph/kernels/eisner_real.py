"""First-order projective trees in the real domain (Eisner 1996), for a padded batch, without an edge in memory.

Safe by scaling: the arcs into each word are divided by their sum, which divides every tree by the same factor.  Then
every inside and outside value is a probability (that independent choices of heads agree with a partial tree), so none
exceeds 1; and where the total Z is above SMALLEST_TOTAL, whatever underflows has a posterior below 1e-38.  A sentence
whose Z is smaller is left to `eisner_log`.

Legend: `n` words and the root 0; a chart is a square array over positions i ≤ j:
- span[i, j] = Σ_k right[i, k] left[k+1, j]             all that lies under an arc between i and j
- from_left[i, j] = w(i, j) span[i, j]                  the arc i → j and what is under it
- from_right[i, j] = w(j, i) span[i, j]                 the arc j → i and what is under it
- right[i, j] = Σ_{k > i} from_left[i, k] right[k, j]   i and its descendants to the right, up to j
- left[i, j] = Σ_{k < j} left[i, k] from_right[k, j]    j and its descendants to the left, down to i
Every sum is pushed along a row of the chart, so that the inner loops run over contiguous memory.  Their indices are
unsigned: Numba then need not ask whether an index counts from the end, and the loop is vectorised (6 times as fast).
`first` is 0 where the root may have any number of children, 1 where it has exactly one (then the chart is over words
only and the root's arc is added last).  In a stack of charts they come in the order of the constants below; the
outside pass (a D before the name) is the derivative of Z in each chart, the inside pass run backwards.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = [
    "NUM_CHARTS",
    "SMALLEST_TOTAL",
    "backward",
    "fill",
    "inside",
    "move",
    "moved_slope",
    "outside",
    "slope",
]

SMALLEST_TOTAL = 1e-270
NUM_CHARTS = 11
WEIGHT, RIGHT, LEFT, SPAN, FROM_LEFT, FROM_RIGHT, D_RIGHT, D_LEFT, D_SPAN, D_FROM_LEFT, D_FROM_RIGHT = range(11)


@kernel
def inside(scores, lengths, first, charts, log_partition):
    """Fill the inside charts of (batch, NUM_CHARTS, N, N) zeros, and `log_partition`: NaN where Z is too small."""
    for b in range(len(lengths)):
        n = lengths[b]
        shift = _scale(scores[b], n, charts[b, WEIGHT])
        _inside(charts[b], n, first)
        total = _total(charts[b], n, first)
        log_partition[b] = np.log(total) + shift if total > SMALLEST_TOTAL else np.nan


@kernel
def outside(lengths, first, charts, marginals):
    """Fill the outside charts, and `marginals` (batch, N, N); sentences with a length of 0 are passed over."""
    for b in range(len(lengths)):
        if lengths[b] > 0:
            _outside(charts[b], lengths[b], first, marginals[b])


@kernel
def backward(lengths, first, charts, marginals, direction, adjoint):
    """Fill `adjoint` with that of the log-weights, given `direction`, the adjoint of the marginals.

    The Hessian of log Z times `direction`, by differentiating both passes along it: the inside and outside values move
    as the weights w move by w · direction (Gormley et al. 2015, eqs 16–19, in forward order; the Hessian is symmetric).
    """
    for b in range(len(lengths)):
        if lengths[b] > 0:
            moved = np.zeros_like(charts[b])
            for h in range(lengths[b] + 1):
                for m in range(1, lengths[b] + 1):
                    moved[WEIGHT, h, m] = charts[b, WEIGHT, h, m] * direction[b, h, m]
            move(charts[b], moved, lengths[b], first, marginals[b], adjoint[b])


@kernel
def fill(scores, n, first, chart, marginals):
    """Fill all charts (NUM_CHARTS, N, N) of one sentence, and its marginals; return Z, scaled, and the log of the
    scale.

    The charts must be zeros; Z is 0 where it is impossible or too small, and then only the inside charts are filled.
    """
    shift = _scale(scores, n, chart[WEIGHT])
    if shift == -np.inf:
        return 0.0, shift
    _inside(chart, n, first)
    total = _total(chart, n, first)
    if total <= SMALLEST_TOTAL:
        return 0.0, shift
    _outside(chart, n, first, marginals)
    return total, shift


@kernel
def move(chart, moved, n, first, marginals, adjoint):
    """Fill `moved` (NUM_CHARTS, N, N): how the charts move as the scaled weights move by moved[WEIGHT].

    `adjoint` becomes how the marginals move.
    """
    _move_inside(chart, moved, n, first)
    _move_outside(chart, moved, n, first, marginals, adjoint)


@kernel
def slope(chart, n, first, h, m):
    """Return the derivative of Z in the scaled weight of the arc h → m, whatever that weight is."""
    if h == 0 and first == 1:
        return chart[LEFT, 1, m] * chart[RIGHT, m, n]
    if h < m:
        return chart[D_FROM_LEFT, h, m] * chart[SPAN, h, m]
    return chart[D_FROM_RIGHT, m, h] * chart[SPAN, m, h]


@kernel
def moved_slope(chart, moved, n, first, h, m):
    """Return how that slope moves."""
    if h == 0 and first == 1:
        return moved[LEFT, 1, m] * chart[RIGHT, m, n] + chart[LEFT, 1, m] * moved[RIGHT, m, n]
    if h < m:
        return moved[D_FROM_LEFT, h, m] * chart[SPAN, h, m] + chart[D_FROM_LEFT, h, m] * moved[SPAN, h, m]
    return moved[D_FROM_RIGHT, m, h] * chart[SPAN, m, h] + chart[D_FROM_RIGHT, m, h] * moved[SPAN, m, h]


@kernel
def _scale(scores, n, weight):
    """Write the scaled arc weights, and return the log of what every tree was divided by."""
    shift = 0.0
    for m in range(1, n + 1):
        best = -np.inf
        for h in range(n + 1):
            if h != m:
                best = max(best, scores[h, m])
        if best == -np.inf:
            return -np.inf
        total = 0.0
        for h in range(n + 1):
            if h != m:
                weight[h, m] = np.exp(scores[h, m] - best)
                total += weight[h, m]
        for h in range(n + 1):
            weight[h, m] /= total
        shift += best + np.log(total)
    return shift


@kernel
def _inside(chart, n, first):
    weight, right, left, span = chart[WEIGHT], chart[RIGHT], chart[LEFT], chart[SPAN]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    for i in range(n, first - 1, -1):
        right[i, i] = 1.0
        left[i, i] = 1.0
        for k in range(i, n + 1):
            if k > i:
                from_left[i, k] = weight[i, k] * span[i, k]
                from_right[i, k] = weight[k, i] * span[i, k]
                _push(from_left[i, k], right[k], right[i], k, n)
                left[i, k] += from_right[i, k]
                _push(left[i, k], from_right[k], left[i], k + 1, n)
            if k < n:
                _push(right[i, k], left[k + 1], span[i], k + 1, n)


@kernel
def _push(factor, source, target, start, stop):
    """Add factor × source to target, from `start` to `stop` inclusive."""
    if factor != 0.0:
        for j in range(np.uint64(start), np.uint64(stop + 1)):
            target[j] += factor * source[j]


@kernel
def _total(chart, n, first):
    if first == 0:
        return chart[RIGHT, 0, n]
    total = 0.0
    for m in range(1, n + 1):
        total += chart[WEIGHT, 0, m] * chart[LEFT, 1, m] * chart[RIGHT, m, n]
    return total


@kernel
def _outside(chart, n, first, marginals):
    weight, right, left = chart[WEIGHT], chart[RIGHT], chart[LEFT]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    d_right, d_left, d_span = chart[D_RIGHT], chart[D_LEFT], chart[D_SPAN]
    d_from_left, d_from_right = chart[D_FROM_LEFT], chart[D_FROM_RIGHT]
    total = _total(chart, n, first)
    if first == 0:
        d_right[0, n] = 1.0
    else:
        for m in range(1, n + 1):
            d_left[1, m] += weight[0, m] * right[m, n]
            d_right[m, n] += weight[0, m] * left[1, m]
            marginals[0, m] = weight[0, m] * left[1, m] * right[m, n] / total
    for i in range(first, n + 1):
        for k in range(n, i - 1, -1):
            if k < n:
                d_right[i, k] += _pull(right[i, k], left[k + 1], d_left[k + 1], d_span[i], k + 1, n)
            if k > i:
                d_left[i, k] += _pull(left[i, k], from_right[k], d_from_right[k], d_left[i], k + 1, n)
                d_from_right[i, k] += d_left[i, k]
                d_from_left[i, k] = _pull(from_left[i, k], right[k], d_right[k], d_right[i], k, n)
                d_span[i, k] = weight[i, k] * d_from_left[i, k] + weight[k, i] * d_from_right[i, k]
                marginals[i, k] = from_left[i, k] * d_from_left[i, k] / total
                marginals[k, i] = from_right[i, k] * d_from_right[i, k] / total


@kernel
def _pull(factor, source, d_source, d_target, start, stop):
    """Undo `_push`: add to the derivative of the source, and return that of the factor."""
    d_factor = 0.0
    for j in range(np.uint64(start), np.uint64(stop + 1)):
        d_factor += d_target[j] * source[j]
        d_source[j] += d_target[j] * factor
    return d_factor


@kernel
def _move_inside(chart, moved, n, first):
    """Fill the inside charts of `moved`: how those of `chart` move with the weights."""
    weight, right, left, span = chart[WEIGHT], chart[RIGHT], chart[LEFT], chart[SPAN]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    m_weight, m_right, m_left, m_span = moved[WEIGHT], moved[RIGHT], moved[LEFT], moved[SPAN]
    m_from_left, m_from_right = moved[FROM_LEFT], moved[FROM_RIGHT]
    for i in range(n, first - 1, -1):
        for k in range(i, n + 1):
            if k > i:
                m_from_left[i, k] = m_weight[i, k] * span[i, k] + weight[i, k] * m_span[i, k]
                m_from_right[i, k] = m_weight[k, i] * span[i, k] + weight[k, i] * m_span[i, k]
                _move_push(from_left[i, k], m_from_left[i, k], right[k], m_right[k], m_right[i], k, n)
                m_left[i, k] += m_from_right[i, k]
                _move_push(left[i, k], m_left[i, k], from_right[k], m_from_right[k], m_left[i], k + 1, n)
            if k < n:
                _move_push(right[i, k], m_right[i, k], left[k + 1], m_left[k + 1], m_span[i], k + 1, n)


@kernel
def _move_push(factor, m_factor, source, m_source, m_target, start, stop):
    for j in range(np.uint64(start), np.uint64(stop + 1)):
        m_target[j] += m_factor * source[j] + factor * m_source[j]


@kernel
def _move_outside(chart, moved, n, first, marginals, adjoint):
    """Fill the outside charts of `moved`, and `adjoint`: how the marginals move."""
    weight, right, left = chart[WEIGHT], chart[RIGHT], chart[LEFT]
    from_left, from_right = chart[FROM_LEFT], chart[FROM_RIGHT]
    d_right, d_left, d_span = chart[D_RIGHT], chart[D_LEFT], chart[D_SPAN]
    d_from_left, d_from_right = chart[D_FROM_LEFT], chart[D_FROM_RIGHT]
    m_weight, m_right, m_left = moved[WEIGHT], moved[RIGHT], moved[LEFT]
    m_from_left, m_from_right = moved[FROM_LEFT], moved[FROM_RIGHT]
    md_right, md_left, md_span = moved[D_RIGHT], moved[D_LEFT], moved[D_SPAN]
    md_from_left, md_from_right = moved[D_FROM_LEFT], moved[D_FROM_RIGHT]
    total = _total(chart, n, first)
    if first == 0:
        m_total = m_right[0, n]
    else:
        m_total = 0.0
        for m in range(1, n + 1):
            md_left[1, m] += m_weight[0, m] * right[m, n] + weight[0, m] * m_right[m, n]
            md_right[m, n] += m_weight[0, m] * left[1, m] + weight[0, m] * m_left[1, m]
            adjoint[0, m] = (
                m_weight[0, m] * left[1, m] * right[m, n]
                + weight[0, m] * (m_left[1, m] * right[m, n] + left[1, m] * m_right[m, n])
            ) / total
            m_total += adjoint[0, m] * total
        for m in range(1, n + 1):
            adjoint[0, m] -= marginals[0, m] * m_total / total
    change = m_total / total
    for i in range(first, n + 1):
        for k in range(n, i - 1, -1):
            if k < n:
                md_right[i, k] += _move_pull(
                    right[i, k], m_right[i, k], left[k + 1], m_left[k + 1], md_left[k + 1],
                    d_span[i], md_span[i], k + 1, n,
                )  # fmt: skip
            if k > i:
                md_left[i, k] += _move_pull(
                    left[i, k], m_left[i, k], from_right[k], m_from_right[k], md_from_right[k],
                    d_left[i], md_left[i], k + 1, n,
                )  # fmt: skip
                md_from_right[i, k] += md_left[i, k]
                md_from_left[i, k] = _move_pull(
                    from_left[i, k], m_from_left[i, k], right[k], m_right[k], md_right[k],
                    d_right[i], md_right[i], k, n,
                )  # fmt: skip
                md_span[i, k] = (
                    m_weight[i, k] * d_from_left[i, k]
                    + weight[i, k] * md_from_left[i, k]
                    + m_weight[k, i] * d_from_right[i, k]
                    + weight[k, i] * md_from_right[i, k]
                )
                rightward = m_from_left[i, k] * d_from_left[i, k] + from_left[i, k] * md_from_left[i, k]
                leftward = m_from_right[i, k] * d_from_right[i, k] + from_right[i, k] * md_from_right[i, k]
                adjoint[i, k] = rightward / total - marginals[i, k] * change
                adjoint[k, i] = leftward / total - marginals[k, i] * change


@kernel
def _move_pull(factor, m_factor, source, m_source, md_source, d_target, md_target, start, stop):
    md_factor = 0.0
    for j in range(np.uint64(start), np.uint64(stop + 1)):
        md_factor += md_target[j] * source[j] + d_target[j] * m_source[j]
        md_source[j] += md_target[j] * factor + d_target[j] * m_factor
    return md_factor

"""Messages of the projective tree constraint: arcs' odds to Eisner's charts, slopes of the charts to messages.

Legend: `n` words and the root 0; A arc variables, arc a from heads[a] to modifiers[a]; `order` lists the arcs by
modifier, those into word m at start[m]:start[m + 1], without loops (head = modifier: always OFF).  Messages are
(F, A, 2), OFF and ON.  x_a is the log-odds of arc a, and S_a = log ∂Z/∂w_a its log-slope.

v_a = x_a + S_a is the log of the total of the trees with arc a.  The trees *without* it are those with another arc into
the same word: a sum of the v of the others, no subtraction.  An arc that must be on (its OFF is -inf) takes all others
into its word away, and its own odds count as 1.  Trees are summed in the real domain (`eisner_real`) where no slope
underflows, and else in the log domain (`eisner_slopes`).
"""

import numpy as np

from autodiff.kernels.compiler import kernel
from hypergraph.kernels import eisner_real, eisner_slopes

__all__ = ["backward", "forward", "forward_max"]

SMALLEST_SLOPE = 1e-270
"""Slopes above it are right to the last digit: terms that underflow are below 1e-300 in all."""

SAFE_LOG = -600.0
"""If the least weights into all words have a product above this (as a logarithm), nothing underflows at all."""

NUM_CHARTS = eisner_real.NUM_CHARTS
NUM_LOG_CHARTS = eisner_slopes.NUM_CHARTS
_fill, _move, _slope, _moved_slope = eisner_real.fill, eisner_real.move, eisner_real.slope, eisner_real.moved_slope
_slopes, _slopes_backward = eisner_slopes.slopes, eisner_slopes.backward
_WEIGHT = eisner_real.WEIGHT


@kernel
def forward(
    incoming, heads, modifiers, order, start, first, odds, forced, charts, slopes, messages, log_partition, logs
):
    """Fill odds (F, A), forced (F, n + 1), charts (F, NUM_CHARTS, n + 1, n + 1) of zeros, slopes (F, A) and messages.

    `logs` (F,) becomes True for a factor that was summed in the log domain; its charts are then of no use.
    """
    n = len(start) - 2
    for f in range(len(incoming)):
        scores = np.full((n + 1, n + 1), -np.inf)
        marginals = np.zeros((n + 1, n + 1))
        constant = _read(incoming[f], heads, modifiers, odds[f], forced[f], scores)
        logs[f] = False
        log_partition[f] = -np.inf
        messages[f] = -np.inf  # stays so where nothing is possible
        if constant == -np.inf:
            continue
        total, shift = _fill(scores, n, first, charts[f], marginals)
        if shift == -np.inf:
            continue
        if total > 0.0 and _real_slopes(charts[f], scores, heads, modifiers, order, start, first, shift, slopes[f]):
            log_total = np.log(total) + shift
        else:
            logs[f] = True
            log_charts = np.empty((NUM_LOG_CHARTS, n + 1, n + 1))
            matrix = np.empty((n + 1, n + 1))
            log_total = _slopes(scores, n, first, False, log_charts, matrix)
            for a in order:
                slopes[f, a] = matrix[heads[a], modifiers[a]]
        if log_total > -np.inf:
            log_partition[f] = log_total + constant
            messages[f] = 0.0
            _write(odds[f], forced[f], slopes[f], order, start, False, messages[f])
            _write_loops(heads, modifiers, messages[f])


@kernel
def forward_max(incoming, heads, modifiers, order, start, first, messages):
    """Fill the messages of max-product."""
    n = len(start) - 2
    odds, forced = np.empty(len(heads)), np.empty(n + 1, dtype=np.int64)
    slopes, matrix = np.empty(len(heads)), np.empty((n + 1, n + 1))
    charts = np.empty((NUM_LOG_CHARTS, n + 1, n + 1))
    for f in range(len(incoming)):
        scores = np.full((n + 1, n + 1), -np.inf)
        constant = _read(incoming[f], heads, modifiers, odds, forced, scores)
        messages[f] = -np.inf
        if constant > -np.inf and _slopes(scores, n, first, True, charts, matrix) > -np.inf:
            for a in order:
                slopes[a] = matrix[heads[a], modifiers[a]]
            messages[f] = 0.0
            _write(odds, forced, slopes, order, start, True, messages[f])
            _write_loops(heads, modifiers, messages[f])


@kernel
def _read(incoming, heads, modifiers, odds, forced, scores):
    """Write log-odds, the arc that each word must have (-1 for none) and scores; return what all trees share."""
    forced[:] = -1
    constant = 0.0
    for a in range(len(heads)):
        off, on = incoming[a, 0], incoming[a, 1]
        if heads[a] == modifiers[a]:
            odds[a] = -np.inf
            constant += off
        elif off > -np.inf:
            odds[a] = on - off
            constant += off
        else:
            odds[a] = 0.0
            constant += on if forced[modifiers[a]] < 0 else -np.inf
            forced[modifiers[a]] = a
    for a in range(len(heads)):
        h, m = heads[a], modifiers[a]
        if h != m and (forced[m] < 0 or forced[m] == a):
            scores[h, m] = odds[a]
    return constant


@kernel
def _real_slopes(chart, scores, heads, modifiers, order, start, first, shift, slopes):
    """Write log-slopes; return whether they can be trusted."""
    n = len(start) - 2
    weight = chart[_WEIGHT]
    least = np.inf
    for m in range(1, n + 1):
        top, scale = -np.inf, 0.0
        for place in range(start[m], start[m + 1]):
            h = heads[order[place]]
            if scores[h, m] > top:
                top = scores[h, m]
                scale = top - np.log(weight[h, m])
        for place in range(start[m], start[m + 1]):
            a = order[place]
            value = _slope(chart, n, first, heads[a], m)
            least = min(least, value)
            slopes[a] = np.log(value) + shift - scale
    if least > SMALLEST_SLOPE:
        return True
    bound = 0.0
    for m in range(1, n + 1):
        lowest = 1.0
        for place in range(start[m], start[m + 1]):
            h = heads[order[place]]
            if scores[h, m] > -np.inf:
                lowest = min(lowest, weight[h, m])
        bound += np.log(lowest)
    return bound > SAFE_LOG


@kernel
def _write_loops(heads, modifiers, messages):
    for a in range(len(heads)):
        if heads[a] == modifiers[a]:
            messages[a, 1] = -np.inf


@kernel
def _write(odds, forced, slopes, order, start, maximise, messages):
    for m in range(1, len(start) - 1):
        must = forced[m]
        for place in range(start[m], start[m + 1]):
            messages[order[place], 1] = slopes[order[place]] if must < 0 or must == order[place] else -np.inf
        if must >= 0:
            for place in range(start[m], start[m + 1]):
                messages[order[place], 0] = odds[must] + slopes[must]
            messages[must, 0] = _others(odds, slopes, order, start[m], start[m + 1], must, maximise)
            continue
        best = _best(odds, slopes, order, start[m], start[m + 1])
        top = odds[best] + slopes[best]
        if maximise or top == -np.inf:
            for place in range(start[m], start[m + 1]):
                messages[order[place], 0] = top
        else:
            total = 0.0
            for place in range(start[m], start[m + 1]):
                a = order[place]
                messages[a, 0] = np.exp(odds[a] + slopes[a] - top)
                total += messages[a, 0]
            for place in range(start[m], start[m + 1]):
                if order[place] != best:  # its part of the total is at most half
                    messages[order[place], 0] = top + np.log(total - messages[order[place], 0])
        messages[best, 0] = _others(odds, slopes, order, start[m], start[m + 1], best, maximise)


@kernel
def _best(odds, slopes, order, first, last):
    best = order[first]
    for place in range(first, last):
        if odds[order[place]] + slopes[order[place]] > odds[best] + slopes[best]:
            best = order[place]
    return best


@kernel
def _others(odds, slopes, order, first, last, left_out, maximise):
    """Return the log-sum (or maximum) of v over the arcs of a word but one."""
    top = -np.inf
    for place in range(first, last):
        if order[place] != left_out:
            top = max(top, odds[order[place]] + slopes[order[place]])
    if maximise or top == -np.inf:
        return top
    total = 0.0
    for place in range(first, last):
        if order[place] != left_out:
            total += np.exp(odds[order[place]] + slopes[order[place]] - top)
    return top + np.log(total)


@kernel
def backward(
    incoming, heads, modifiers, order, start, first, odds, forced, charts, slopes, messages, log_partition, logs,
    d_messages, d_log_partition, d_incoming,
):  # fmt: skip
    """Fill d_incoming (F, A, 2), of zeros; the other arrays are those of `forward` and the adjoints of its results."""
    n = len(start) - 2
    d_odds, d_slopes = np.empty(len(heads)), np.empty(len(heads))
    for f in range(len(incoming)):
        if log_partition[f] == -np.inf:
            continue
        d_odds[:] = 0.0
        d_slopes[:] = 0.0
        _write_backward(
            odds[f], forced[f], slopes[f], order, start, messages[f], d_messages[f], d_log_partition[f],
            d_odds, d_slopes,
        )  # fmt: skip
        if logs[f]:
            _log_backward(odds[f], forced[f], heads, modifiers, order, n, first, d_slopes, d_odds)
        else:
            _real_backward(charts[f], heads, modifiers, order, n, first, d_slopes, d_odds)
        for a in range(len(heads)):
            if forced[f, modifiers[a]] == a:
                d_incoming[f, a, 1] = d_log_partition[f]
            else:
                d_incoming[f, a, 0] = d_log_partition[f] - d_odds[a]
                d_incoming[f, a, 1] = d_odds[a]


@kernel
def _write_backward(odds, forced, slopes, order, start, messages, d_messages, d_log_partition, d_odds, d_slopes):
    for m in range(1, len(start) - 1):
        first, last = start[m], start[m + 1]
        must = forced[m]
        apart = must if must >= 0 else _best(odds, slopes, order, first, last)
        top = odds[apart] + slopes[apart]
        for place in range(first, last):
            a = order[place]
            if messages[a, 1] > -np.inf:
                d_slopes[a] += d_messages[a, 1]
        # What the OFF message of one arc, the best one or the one that must be, owes to the others
        if messages[apart, 0] > -np.inf and d_messages[apart, 0] != 0.0:
            for place in range(first, last):
                a = order[place]
                if a != apart:
                    flow = d_messages[apart, 0] * np.exp(odds[a] + slopes[a] - messages[apart, 0])
                    d_odds[a] += flow
                    d_slopes[a] += flow
        # What the OFF messages of the others owe to all but themselves; exp(top - message) is at most 1
        shares = 0.0
        for place in range(first, last):
            a = order[place]
            if a != apart:
                shares += d_messages[a, 0] * np.exp(top - messages[a, 0])
        total = 1.0
        if must < 0:
            for place in range(first, last):
                if order[place] != apart:
                    total += np.exp(odds[order[place]] + slopes[order[place]] - top)
        for place in range(first, last):
            a = order[place]
            if a == apart or must < 0:
                part = np.exp(odds[a] + slopes[a] - top)
                own = 0.0 if a == apart else d_messages[a, 0] * np.exp(top - messages[a, 0])
                flow = part * (shares - own)
                d_odds[a] += flow + d_log_partition * part / total
                d_slopes[a] += flow


@kernel
def _real_backward(chart, heads, modifiers, order, n, first, d_slopes, d_odds):
    """Add the adjoint of the log-odds, given that of the log-slopes.

    With N_a = ∂Z/∂w_a it is w_b Σ_a ∂²Z/∂w_a∂w_b d_a / N_a: how N_b moves as each weight w_a moves by d_a / N_a, times
    w_b.
    """
    moved = np.zeros_like(chart)
    for a in order:
        value = _slope(chart, n, first, heads[a], modifiers[a])
        if d_slopes[a] != 0.0 and value > 0.0:
            moved[_WEIGHT, heads[a], modifiers[a]] = d_slopes[a] / value
    unused = np.zeros((2, n + 1, n + 1))
    _move(chart, moved, n, first, unused[0], unused[1])
    for a in order:
        h, m = heads[a], modifiers[a]
        if chart[_WEIGHT, h, m] > 0.0:
            d_odds[a] += chart[_WEIGHT, h, m] * _moved_slope(chart, moved, n, first, h, m)


@kernel
def _log_backward(odds, forced, heads, modifiers, order, n, first, d_slopes, d_odds):
    scores = np.full((n + 1, n + 1), -np.inf)
    d_matrix, d_scores = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    for a in order:
        h, m = heads[a], modifiers[a]
        if forced[m] < 0 or forced[m] == a:
            scores[h, m] = odds[a]
        d_matrix[h, m] = d_slopes[a]
    charts, matrix = np.empty((NUM_LOG_CHARTS, n + 1, n + 1)), np.empty((n + 1, n + 1))
    _slopes(scores, n, first, False, charts, matrix)
    _slopes_backward(scores, n, first, charts, matrix, d_matrix, d_scores)
    for a in order:
        d_odds[a] += d_scores[heads[a], modifiers[a]]

"""What many steps without a gradient make of a weight, and the sum of the weights after each of them.

A step with the rate η moves a weight to r |w| - b, or to 0 if that is below 0, where

    r = 1 / (1 + η d),   b = η a r      implicit: AdaGrad, with d = λ₂ / H and a = λ₁ / H
    r = 1 - η d,         b = η a        explicit: SGD and Adam, with d = λ₂ and a = λ₁

With b = 0, k steps of one rate come to the factor r^k, and the sum of the weights to w (r + r² + … + r^k).

Legend: x = 1 / r - 1 (so that r = 1 / (1 + x)), which is η d or η d / (1 - η d); `starts` and `rates` (runs,): first
step and rate of each run of steps with equal rates; `steps` taken so far; `since` the first step that is missing.
"""

import math

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["decay", "decay_over_runs", "is_short", "last_run", "short_sum", "shrink"]

_LONG = 1024


@kernel
def is_short(x, k):
    """Tell whether `short_sum` is exact."""
    return x < 1e-4 and k * x < 1e-2


@kernel
def short_sum(x, k):
    """Return r + … + r^k where `is_short`: (1 - e^(-y)) / x with y = k log(1 + x), as series."""
    logarithm = 1.0 - x * (1 / 2 - x * (1 / 3 - x / 4))
    y = k * x * logarithm
    return k * logarithm * (1.0 - y * (1 / 2 - y * (1 / 6 - y * (1 / 24 - y * (1 / 120 - y / 720)))))


@kernel
def decay(x, k):
    """Return r^k and r + … + r^k."""
    if is_short(x, k):
        total = short_sum(x, k)
        return 1.0 - x * total, total
    if k > _LONG:
        exponent = -k * math.log1p(x)
        return math.exp(exponent), -math.expm1(exponent) / x
    r = 1.0 / (1.0 + x)
    power, total = 1.0, 0.0  # of the steps counted so far
    square, square_total = r, r  # of 1, 2, 4, … steps
    while k > 0:
        if k & 1:
            total += power * square_total
            power *= square
        square_total += square * square_total
        square *= square
        k >>= 1
    return power, total


@kernel
def decay_over_runs(d, implicit, since, steps, starts, rates):
    """Return what `decay` does, for the steps from `since` on, whatever their rates."""
    factor, total = 1.0, 0.0
    end = steps
    run = len(starts) - 1
    while end > since:
        begin = max(since, starts[run])
        x = rates[run] * d
        power, powers = decay(x if implicit else x / (1.0 - x), end - begin)
        factor, total = power * factor, powers + power * total
        end = begin
        run -= 1
    return factor, total


@kernel
def last_run(starts, rates):
    """Return first step and rate of the last run: two numbers, where a call with arrays for each slot would be slow."""
    return (starts[-1], rates[-1]) if len(starts) else (0, 0.0)


@kernel
def _threshold(size, r, b, k):
    """Return |w| after k steps of max(0, r |w| - b), and the sum of |w| after each.

    Two steps are one of the same form; so 2, 4, 8, … steps are taken at once for as long as they stay above 0.
    """
    total = 0.0
    while k > 0 and size > 0.0:
        if r * size - b <= 0.0:
            return 0.0, total
        factor, minus, factors, minuses, count = r, b, r, b, 1  # of `count` steps, and of the sums after each of them
        while 2 * count <= k and factor * (factor * size - minus) - minus > 0.0:
            factors, minuses = factors + factors * factor, minuses + factors * minus + minuses
            factor, minus = factor * factor, factor * minus + minus
            count *= 2
        total += factors * size - minuses
        size = factor * size - minus
        k -= count
    return size, total


@kernel
def _threshold_over_runs(weight, d, a, implicit, since, steps, starts, rates):
    """Return the weight after the steps from `since` on, and the sum of the weights after each."""
    size, total = abs(weight), 0.0
    run = np.searchsorted(starts, since, side="right") - 1
    while since < steps and size > 0.0:
        end = starts[run + 1] if run + 1 < len(starts) else steps
        x = rates[run] * d
        r = 1.0 / (1.0 + x) if implicit else 1.0 - x
        b = rates[run] * a * (r if implicit else 1.0)
        size, sums = _threshold(size, r, b, end - since)
        total += sums
        since = end
        run += 1
    return math.copysign(size, weight), math.copysign(total, weight)


@kernel
def shrink(weights, d, a, implicit, since, steps, starts, rates):
    """Return weights (rows, width) after the steps from `since` (rows,) on, and the sums of those after each.

    `d` and `a` are (rows, width) or (rows, 1).
    """
    rows, width = weights.shape
    after, sums = np.empty((rows, width)), np.empty((rows, width))
    for row in range(rows):
        factor, total, own = 1.0, 0.0, 0
        for column in range(width):
            if column < d.shape[1]:
                own = column
                if a[row, own] == 0.0:
                    factor, total = decay_over_runs(d[row, own], implicit, since[row], steps, starts, rates)
            if a[row, own] == 0.0:
                after[row, column] = weights[row, column] * factor
                sums[row, column] = weights[row, column] * total
            else:
                after[row, column], sums[row, column] = _threshold_over_runs(
                    weights[row, column], d[row, own], a[row, own], implicit, since[row], steps, starts, rates
                )
    return after, sums

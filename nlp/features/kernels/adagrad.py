"""AdaGrad with composite mirror descent and ℓ2 on hashed weights: a step costs only the slots that were touched.

With H = δ + √G, a slot that was not touched in k steps of rate η owes the factor r^k with r = H / (H + η λ), and the
sum of its weights after those steps, which averaging wants, is w (r + r² + … + r^k).

Legend: `memory` (slots, 4): gradient, G, number of steps paid, sum of the weights after all paid steps.
`starts` and `rates` (runs,): first step and rate of each run of steps with equal rates; `steps` taken so far.
"""

import math

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["add", "arrange", "settle", "settle_all", "sums", "update"]

_0, _1, _2, _3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_LONG = 1024
_STRETCHES = 1024
_BATCH = 256


@kernel
def add(indices, values, memory, touched, used):
    """Add to the gradient; return how many slots are listed in `touched`."""
    for i in range(np.uint64(len(indices))):
        index = indices[i]
        if values[i] != 0.0:
            before = memory[index, _0]
            if before == 0.0:
                touched[used] = index
                used += 1
            memory[index, _0] = before + values[i]
    return used


@kernel
def arrange(touched, used, slots):
    """Return the touched slots in stretches of neighbours, so that an update goes through memory but once."""
    shift = np.uint32(0)
    while (slots >> shift) > _STRETCHES:
        shift += np.uint32(1)
    starts = np.zeros(_STRETCHES + 2, dtype=np.int64)
    for i in range(np.uint64(used)):
        starts[np.uint64(touched[i] >> shift) + _1] += 1
    for k in range(_STRETCHES + 1):
        starts[k + 1] += starts[k]
    arranged = np.empty(used, dtype=np.uint32)
    for i in range(np.uint64(used)):
        stretch = np.uint64(touched[i] >> shift)
        arranged[np.uint64(starts[stretch])] = touched[i]
        starts[stretch] += 1
    return arranged


@kernel
def _is_short(x, k):
    return x < 1e-4 and k * x < 1e-2


@kernel
def _short_sum(x, k):
    """Return r + … + r^k for r = 1 / (1 + x) where `_is_short`: (1 - e^(-y)) / x with y = k log(1 + x), as series."""
    logarithm = 1.0 - x * (1 / 2 - x * (1 / 3 - x / 4))
    y = k * x * logarithm
    return k * logarithm * (1.0 - y * (1 / 2 - y * (1 / 6 - y * (1 / 24 - y * (1 / 120 - y / 720)))))


@kernel
def _decay(x, k):
    """Return r^k and r + … + r^k for r = 1 / (1 + x)."""
    if _is_short(x, k):
        total = _short_sum(x, k)
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
def _owed_over_runs(metric, paid, steps, l2, starts, rates):
    """Return what `_decay` does, for the steps from `paid` on, whatever their rates."""
    factor, total = 1.0, 0.0
    end = steps
    run = len(starts) - 1
    while end > paid:
        begin = max(paid, starts[run])
        power, powers = _decay(rates[run] * l2 / metric, end - begin)
        factor, total = power * factor, powers + power * total
        end = begin
        run -= 1
    return factor, total


@kernel
def _last_run(starts, rates):
    """Return first step and rate of the last run: two numbers, where a call with arrays for each slot would be slow."""
    return (starts[-1], rates[-1]) if len(starts) else (0, 0.0)


@kernel
def _pay(index, weights, memory, steps, l2, delta, starts, rates, start, rate):
    """Let a slot pay what it owes; the last run of rates begins at step `start`."""
    paid = np.int64(memory[index, _2])
    if paid < steps:
        weight = weights[index]
        memory[index, _2] = steps
        if weight != 0.0:
            metric = delta + math.sqrt(memory[index, _1])
            if paid >= start:
                factor, total = _decay(rate * l2 / metric, steps - paid)
            else:
                factor, total = _owed_over_runs(metric, paid, steps, l2, starts, rates)
            weights[index] = weight * factor
            memory[index, _3] += weight * total


@kernel
def settle(indices, weights, memory, steps, l2, delta, starts, rates):
    """Let the slots `indices` pay what they owe, repetitions allowed."""
    start, rate = _last_run(starts, rates)
    for i in range(np.uint64(len(indices))):
        _pay(indices[i], weights, memory, steps, l2, delta, starts, rates, start, rate)


@kernel
def settle_all(weights, memory, steps, l2, delta, starts, rates):
    """Let every slot pay."""
    start, rate = _last_run(starts, rates)
    for index in range(np.uint64(len(weights))):
        _pay(index, weights, memory, steps, l2, delta, starts, rates, start, rate)


@kernel
def update(weights, memory, touched, scale, new_rate, steps, l2, delta, starts, rates):
    """Take step number `steps` (from 0 on): every touched slot pays and is updated, and its gradient is cleared.

    In batches: what is scattered over memory is fetched with nothing else to wait for; the arithmetic is vectorised.
    """
    start, rate = _last_run(starts, rates)
    now = float(steps)
    indices = np.empty(_BATCH, dtype=np.uint32)
    gradient, weight, squares, paid, total = np.empty((5, _BATCH))
    shrinkage, factor, powers = np.empty((3, _BATCH))
    for begin in range(0, len(touched), _BATCH):
        count = _0
        for i in range(np.uint64(begin), np.uint64(min(begin + _BATCH, len(touched)))):
            index = touched[i]
            value = memory[index, _0]
            if value != 0.0:  # else it cancelled out, or is listed a second time: it owes one more step of shrinkage
                memory[index, _0] = 0.0
                indices[count] = index
                gradient[count] = value * scale
                squares[count], paid[count], total[count] = memory[index, _1], memory[index, _2], memory[index, _3]
                weight[count] = weights[index]
                count += _1
        for j in range(count):
            shrinkage[j] = rate * l2 / (delta + math.sqrt(squares[j]))
            powers[j] = _short_sum(shrinkage[j], now - paid[j])
            factor[j] = 1.0 - shrinkage[j] * powers[j]
        for j in range(count):
            if paid[j] < start or not _is_short(shrinkage[j], now - paid[j]):
                metric = delta + math.sqrt(squares[j])
                factor[j], powers[j] = _owed_over_runs(metric, np.int64(paid[j]), steps, l2, starts, rates)
        for j in range(count):
            total[j] += weight[j] * powers[j]
            squares[j] += gradient[j] * gradient[j]
            metric = delta + math.sqrt(squares[j])
            weight[j] = (metric * (weight[j] * factor[j]) - new_rate * gradient[j]) / (metric + new_rate * l2)
        for j in range(count):
            index = indices[j]
            weights[index] = weight[j]
            memory[index, _1], memory[index, _2], memory[index, _3] = squares[j], now + 1.0, total[j] + weight[j]


@kernel
def sums(weights, memory, steps, l2, delta, starts, rates, out):
    """Write the sums of the weights after each step, as if all had been paid."""
    start, rate = _last_run(starts, rates)
    for index in range(np.uint64(len(weights))):
        total, paid = memory[index, _3], np.int64(memory[index, _2])
        if weights[index] != 0.0 and paid < steps:
            metric = delta + math.sqrt(memory[index, _1])
            if paid >= start:
                _, owed = _decay(rate * l2 / metric, steps - paid)
            else:
                _, owed = _owed_over_runs(metric, paid, steps, l2, starts, rates)
            total += weights[index] * owed
        out[index] = total

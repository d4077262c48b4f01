"""AdaGrad with composite mirror descent and ℓ2 on hashed weights: a step costs only the slots that were touched.

With H = δ + √G, a slot that was not touched in k steps of rate η owes the factor r^k with r = H / (H + η λ), and the sum
of its weights after those steps, which averaging wants, is w (r + r² + … + r^k).  Both come from squaring, without
a subtraction; for long absences from logarithms, where squaring would lose digits.

Legend: `memory` (slots, 4): gradient, G, number of steps paid, sum of the weights after all paid steps.
`starts` and `rates` (runs,): first step and rate of each run of steps with equal rates; `steps` taken so far.
"""

import math

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["add", "averaged", "settle", "settle_all", "update"]

_0, _1, _2, _3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_LONG = 1024


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
def _decay(shrinkage, k):
    """Return r^k and r + … + r^k for r = 1 / (1 + shrinkage)."""
    if shrinkage == 0.0:
        return 1.0, float(k)
    r = 1.0 / (1.0 + shrinkage)
    if k == 1:
        return r, r
    if k > _LONG:
        exponent = -k * math.log1p(shrinkage)
        return math.exp(exponent), -math.expm1(exponent) / shrinkage
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
def settle(indices, weights, memory, steps, l2, delta, starts, rates):
    """Let the slots `indices` pay what they owe, repetitions allowed."""
    start, rate = _last_run(starts, rates)
    for i in range(np.uint64(len(indices))):
        index = indices[i]
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
def settle_all(weights, memory, steps, l2, delta, starts, rates):
    """Let every slot pay."""
    start, rate = _last_run(starts, rates)
    for index in range(np.uint64(len(weights))):
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
def update(weights, memory, touched, used, scale, new_rate, steps, l2, delta, starts, rates):
    """Take step number `steps` (from 0 on): every touched slot pays and is updated, and its gradient is cleared."""
    start, rate = _last_run(starts, rates)
    for i in range(np.uint64(used)):
        index = touched[i]
        gradient = memory[index, _0] * scale
        memory[index, _0] = 0.0
        if gradient == 0.0:
            continue  # cancelled out, or listed a second time: it owes one more step of shrinkage
        weight = weights[index]
        squares, paid, total = memory[index, _1], np.int64(memory[index, _2]), memory[index, _3]
        if paid < steps and weight != 0.0:
            metric = delta + math.sqrt(squares)
            if paid >= start:
                factor, powers = _decay(rate * l2 / metric, steps - paid)
            else:
                factor, powers = _owed_over_runs(metric, paid, steps, l2, starts, rates)
            total += weight * powers
            weight *= factor
        squares += gradient * gradient
        metric = delta + math.sqrt(squares)
        weight = (metric * weight - new_rate * gradient) / (metric + new_rate * l2)
        weights[index] = weight
        memory[index, _1] = squares
        memory[index, _2] = steps + 1
        memory[index, _3] = total + weight


@kernel
def averaged(weights, memory, steps, l2, delta, starts, rates, out):
    """Write the mean of the weights after each step so far, as if all had been paid."""
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
        out[index] = total / steps

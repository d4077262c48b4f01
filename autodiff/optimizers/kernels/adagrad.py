"""AdaGrad with composite mirror descent and ℓ2 on hashed weights: a step costs only the slots that were touched.

With H = δ + √G, a step of rate η multiplies the weight of a slot that is not touched by H / (H + η λ).

Legend: `memory` (slots, 4): gradient, G, number of steps that the slot is caught up with, sum of the weights after
all of those.  `starts` and `rates` (runs,): first step and rate of each run of steps with equal rates; `steps` taken so
far.
"""

import math

import numpy as np

from autodiff.kernels.compiler import kernel
from autodiff.optimizers.kernels.shrinkage import decay, decay_over_runs, is_short, last_run, short_sum

__all__ = ["catch_up", "catch_up_all", "sums", "update"]

_0, _1, _2, _3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_BATCH = 256


@kernel
def _catch_up(index, weights, memory, steps, l2, delta, starts, rates, start, rate):
    """Shrink a slot by the steps that it missed, the last run of rates beginning at step `start`; tell if it did."""
    since = np.int64(memory[index, _2])
    if since >= steps:
        return False
    weight = weights[index]
    memory[index, _2] = steps
    if weight == 0.0:
        return False
    metric = delta + math.sqrt(memory[index, _1])
    if since >= start:
        factor, total = decay(rate * l2 / metric, steps - since)
    else:
        factor, total = decay_over_runs(l2 / metric, True, since, steps, starts, rates)
    weights[index] = weight * factor
    memory[index, _3] += weight * total
    return True


@kernel
def catch_up(indices, weights, memory, steps, l2, delta, starts, rates):
    """Catch the slots `indices` up, repetitions allowed; return how many weights were shrunk."""
    start, rate = last_run(starts, rates)
    shrunk = 0
    for i in range(np.uint64(len(indices))):
        shrunk += _catch_up(indices[i], weights, memory, steps, l2, delta, starts, rates, start, rate)
    return shrunk


@kernel
def catch_up_all(weights, memory, steps, l2, delta, starts, rates):
    """Catch every slot up; return how many weights were shrunk."""
    start, rate = last_run(starts, rates)
    shrunk = 0
    for index in range(np.uint64(len(weights))):
        shrunk += _catch_up(index, weights, memory, steps, l2, delta, starts, rates, start, rate)
    return shrunk


@kernel
def update(weights, memory, touched, scale, new_rate, steps, l2, delta, starts, rates):
    """Take step number `steps` (from 0 on): every touched slot is caught up and updated, and its gradient is cleared.

    In batches: what is scattered over memory is fetched with nothing else to wait for; the arithmetic is vectorised.
    """
    start, rate = last_run(starts, rates)
    now = float(steps)
    indices = np.empty(_BATCH, dtype=np.uint32)
    gradient, weight, squares, since, total = np.empty((5, _BATCH))
    shrinkage, factor, powers = np.empty((3, _BATCH))
    for begin in range(0, len(touched), _BATCH):
        count = _0
        for i in range(np.uint64(begin), np.uint64(min(begin + _BATCH, len(touched)))):
            index = touched[i]
            value = memory[index, _0]
            if value != 0.0:  # else it cancelled out, or is listed a second time: the shrinkage of this step is missing
                memory[index, _0] = 0.0
                indices[count] = index
                gradient[count] = value * scale
                squares[count], since[count], total[count] = memory[index, _1], memory[index, _2], memory[index, _3]
                weight[count] = weights[index]
                count += _1
        for j in range(count):
            shrinkage[j] = rate * l2 / (delta + math.sqrt(squares[j]))
            powers[j] = short_sum(shrinkage[j], now - since[j])
            factor[j] = 1.0 - shrinkage[j] * powers[j]
        for j in range(count):
            if since[j] < start or not is_short(shrinkage[j], now - since[j]):
                metric = delta + math.sqrt(squares[j])
                factor[j], powers[j] = decay_over_runs(l2 / metric, True, np.int64(since[j]), steps, starts, rates)
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
    """Write the sums of the weights after each step, as if all slots were caught up."""
    start, rate = last_run(starts, rates)
    for index in range(np.uint64(len(weights))):
        total, since = memory[index, _3], np.int64(memory[index, _2])
        if weights[index] != 0.0 and since < steps:
            metric = delta + math.sqrt(memory[index, _1])
            if since >= start:
                _, missing = decay(rate * l2 / metric, steps - since)
            else:
                _, missing = decay_over_runs(l2 / metric, True, since, steps, starts, rates)
            total += weights[index] * missing
        out[index] = total

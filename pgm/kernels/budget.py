"""Counting true literals up to a limit, in the log domain.

Legend: factor f; position i of D; limit K; `zero` and `one` (F, D) the log-weights of a literal's being false or true;
prefix[i, a] the log-weight of exactly a true among the first i; rest[i, b] that of what positions i, … may do when b
more may (or, exactly, must) be true.  Both follow one recursion, r'[b] = log(e^{zero + r[b]} + e^{one + r[b - 1]}).
Their digits end at an ulp of the sum of the K greatest log-odds.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["backward", "forward"]


@kernel
def forward(zero, one, limit, exactly, outgoing, log_weight):
    """Write the log-odds for each literal into `outgoing` (F, D), and the log-weight of all that is allowed."""
    degree = zero.shape[1]
    prefix = np.empty((degree + 1, limit + 1))
    rest = np.empty((2, limit + 1))
    share, on, off = np.empty(limit + 1), np.empty(limit + 1), np.empty(limit + 1)
    for f in range(len(zero)):
        _begin(prefix[0], True)
        for i in range(degree):
            _step(prefix[i], zero[f, i], one[f, i], prefix[i + 1], share)
        _begin(rest[degree % 2], exactly)
        for i in range(degree - 1, -1, -1):
            after = rest[(i + 1) % 2]
            total_on = _split(prefix[i], after, limit - 1, on)
            outgoing[f, i] = total_on
            if total_on > -np.inf:
                outgoing[f, i] -= _split(prefix[i], after, limit, off)
            _step(after, zero[f, i], one[f, i], rest[i % 2], share)
        log_weight[f] = rest[0, limit]


@kernel
def backward(zero, one, limit, exactly, adjoint, d_one):
    """Add to the adjoint of `one`, given that of `outgoing`; a position with infinite log-odds has adjoint 0."""
    degree = zero.shape[1]
    prefix, prefix_share, d_prefix = _three(degree + 1, limit + 1)
    rest, rest_share, d_rest = _three(degree + 1, limit + 1)
    on, off = np.empty(limit + 1), np.empty(limit + 1)
    for f in range(len(zero)):
        _begin(prefix[0], True)
        _begin(rest[degree], exactly)
        d_prefix[:] = 0.0
        d_rest[:] = 0.0
        for i in range(degree):
            _step(prefix[i], zero[f, i], one[f, i], prefix[i + 1], prefix_share[i + 1])
        for i in range(degree - 1, -1, -1):
            _step(rest[i + 1], zero[f, i], one[f, i], rest[i], rest_share[i])
        for i in range(degree):
            if adjoint[f, i] == 0.0:
                continue
            _split(prefix[i], rest[i + 1], limit - 1, on)
            _split(prefix[i], rest[i + 1], limit, off)
            for a in range(limit):
                d_prefix[i, a] += adjoint[f, i] * on[a]
                d_rest[i + 1, limit - 1 - a] += adjoint[f, i] * on[a]
            for a in range(limit + 1):
                d_prefix[i, a] -= adjoint[f, i] * off[a]
                d_rest[i + 1, limit - a] -= adjoint[f, i] * off[a]
        for i in range(degree - 1, -1, -1):
            d_one[f, i] += _step_back(prefix_share[i + 1], d_prefix[i + 1], d_prefix[i])
        for i in range(degree):
            d_one[f, i] += _step_back(rest_share[i], d_rest[i], d_rest[i + 1])


@kernel
def _three(rows, columns):
    return np.empty((rows, columns)), np.empty((rows, columns)), np.empty((rows, columns))


@kernel
def _begin(row, exactly):
    """Write what is allowed when there is nothing left: 0 more true or, if not exactly, up to any number."""
    row[:] = -np.inf if exactly else 0.0
    row[0] = 0.0


@kernel
def _step(row, zero, one, result, share):
    """Write the row with one more literal, and the share of its being true in each entry."""
    result[0] = zero + row[0]
    share[0] = 0.0
    for b in range(1, len(row)):
        low, high = zero + row[b], one + row[b - 1]
        swapped = low > high
        if swapped:
            low, high = high, low
        small = 0.0 if low == -np.inf else np.exp(low - high)
        result[b] = high + np.log1p(small)
        share[b] = (small if swapped else 1.0) / (1.0 + small)


@kernel
def _step_back(share, d_result, d_row):
    """Add to the adjoint of the row before a step, and return that of `one`."""
    d_one = 0.0
    d_row[0] += d_result[0]
    for b in range(1, len(share)):
        part = d_result[b] * share[b]
        d_row[b] += d_result[b] - part
        d_row[b - 1] += part
        d_one += part
    return d_one


@kernel
def _split(before, after, limit, shares):
    """Return log Σ_a exp(before[a] + after[limit - a]), and write the share of each a."""
    top = -np.inf
    for a in range(limit + 1):
        shares[a] = before[a] + after[limit - a]
        top = max(top, shares[a])
    if top == -np.inf:
        return top
    total = 0.0
    for a in range(limit + 1):
        shares[a] = np.exp(shares[a] - top)
        total += shares[a]
    for a in range(limit + 1):
        shares[a] /= total
    return top + np.log(total)

"""Messages of soft tables over two binary variables, as log-odds: one number for each message.

A message's odds are r = m(1) / m(0).  With what the factor hears from its other variable as odds q,

    r = (ψ10 + ψ11 q) / (ψ00 + ψ01 q)          to the first variable, from the second (and mirrored),

one division.  The logarithm of r lies within the range of the table's log-potentials, so messages stay finite whatever
is heard; q is cut off at e^±LIMIT, where the smaller term has no weight left (tables that span more than SAFE_RANGE go
through `table`).

Legend: `zero` (F, 2) the place of each variable's state 0 among all states (state 1 is the next); `odds` (F, 2) the
log-odds of the messages; `weights` (F, 4) the table ψ00, ψ01, ψ10, ψ11.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["LIMIT", "SAFE_RANGE", "absorb", "adjoints", "hear", "ratios"]

LIMIT = 700.0
SAFE_RANGE = 300.0


@kernel
def hear(total, zero, odds, heard):
    """Write the log-odds that each factor hears; return one that hears that no state is possible, or -1."""
    nothing = -1
    for f in range(np.uint64(len(odds))):
        for j in range(np.uint64(2)):
            place = np.uint64(zero[f, j])
            value = total[place + np.uint64(1)] - total[place] - odds[f, j]
            if np.isnan(value):
                nothing = np.int64(f)
            heard[f, j] = min(max(value, -LIMIT), LIMIT)
    return nothing


@kernel
def ratios(weights, q, result):
    """Write the odds of the outgoing messages."""
    for f in range(np.uint64(len(q))):
        a, b, c, d = weights[f, 0], weights[f, 1], weights[f, 2], weights[f, 3]
        first, second = q[f, 0], q[f, 1]
        result[f, 0] = (c + d * second) / (a + b * second)
        result[f, 1] = (b + d * first) / (a + c * first)


@kernel
def absorb(proposed, old, targets, everyone, damping, local, new, contribution):
    """Write the new messages and their sums (at states 1; `local` (F, 2)); return the greatest undamped change."""
    change = 0.0
    contribution[:] = 0.0
    for f in range(np.uint64(len(old))):
        for j in range(np.uint64(2)):
            value = old[f, j]
            if everyone or targets[f, j]:
                value = proposed[f, j] if damping == 0.0 else (1.0 - damping) * proposed[f, j] + damping * old[f, j]
                change = max(change, abs(proposed[f, j] - old[f, j]))
            new[f, j] = value
            contribution[np.uint64(local[f, j])] += value
    return change


@kernel
def adjoints(weights, q, computed, zero, on_total, on_odds, on_weights):
    """Go back through `ratios` and `hear`, given the adjoint of the log-odds (F, 2)."""
    for f in range(np.uint64(len(q))):
        a, b, c, d = weights[f, 0], weights[f, 1], weights[f, 2], weights[f, 3]
        first, second = q[f, 0], q[f, 1]
        g, h = computed[f, 0], computed[f, 1]
        # To the first variable: log(c + d q) - log(a + b q), with shares of each term in its sum.
        above, below = c + d * second, a + b * second
        d_share, b_share = d * second / above, b * second / below
        on_second = g * (d_share - b_share)
        of_d, of_c, of_b, of_a = g * d_share, g * (c / above), -g * b_share, -g * (a / below)
        above, below = b + d * first, a + c * first
        d_share, c_share = d * first / above, c * first / below
        on_first = h * (d_share - c_share)
        on_weights[f, 0] = of_a - h * (a / below)
        on_weights[f, 1] = of_b + h * (b / above)
        on_weights[f, 2] = of_c - h * c_share
        on_weights[f, 3] = of_d + h * d_share
        place, other = np.uint64(zero[f, 0]), np.uint64(zero[f, 1])
        on_total[place + np.uint64(1)] += on_first
        on_total[place] -= on_first
        on_total[other + np.uint64(1)] += on_second
        on_total[other] -= on_second
        on_odds[f, 0] -= on_first
        on_odds[f, 1] -= on_second

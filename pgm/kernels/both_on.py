"""Messages of factors that reward two binary variables for being ON together, as plain odds.

With r the odds of a message and B the odds of all that a variable hears, the factor hears q = B / r, and sends

    r' = (1 + ψ q) / (1 + q) = (r + ψ B) / (r + B)

to the other variable: a multiplication and a division, and no exponential or logarithm but one for each *variable*.

Legend: `first`, `second` (F,) local numbers of the variables; `heard` (variables,) B; `odds` (F, 2) messages to the
first and the second variable; `reward` (F,) ψ; `product` (variables,) the product of all new messages to a variable.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["adjoints", "change", "reach", "send", "totals", "undo"]


@kernel
def reach(log_reward, first, second, variables):
    """Return the greatest sum, over the factors at a variable, of |log ψ|: how far its messages can go in all."""
    total = np.zeros(variables)
    for f in range(np.uint64(len(log_reward))):
        size = abs(log_reward[f])
        total[np.uint64(first[f])] += size
        total[np.uint64(second[f])] += size
    return total.max() if variables > 0 else 0.0


@kernel
def change(odds, new):
    """Return the greatest relative change of a message."""
    greatest = 0.0
    for f in range(np.uint64(len(odds))):
        for j in range(np.uint64(2)):
            greatest = max(greatest, abs(new[f, j] - odds[f, j]) / odds[f, j])
    return greatest


@kernel
def send(total, zeros, ones, limit, reward, first, second, heard, odds, new, product):
    """Write what each variable hears in all, new odds, and their products; return a variable without a state, or -1.

    `total` holds the sums of all messages at the states; `zeros` and `ones` are the places of each variable's states.
    """
    nothing = -1
    for v in range(len(zeros)):
        value = total[ones[v]] - total[zeros[v]]
        if np.isnan(value):
            nothing = v
        heard[v] = np.exp(min(max(value, -limit), limit))
        product[v] = 1.0
    if nothing >= 0:
        return nothing
    count = np.uint64(len(reward))
    for f in range(count):
        i, j = np.uint64(first[f]), np.uint64(second[f])
        to_first, to_second = odds[f, 0], odds[f, 1]
        first_heard, second_heard = heard[i], heard[j]
        new_second = (to_first + reward[f] * first_heard) / (to_first + first_heard)
        new_first = (to_second + reward[f] * second_heard) / (to_second + second_heard)
        new[f, 0] = new_first
        new[f, 1] = new_second
    for f in range(count):
        product[np.uint64(first[f])] *= new[f, 0]
        product[np.uint64(second[f])] *= new[f, 1]
    return nothing


@kernel
def undo(on_total, ones, first, second, on_odds, computed, replaced):
    """Write the adjoints of the log-odds (F, 2) that a step computed, and of those which it replaced."""
    for f in range(np.uint64(len(first))):
        to_first, to_second = on_total[ones[np.uint64(first[f])]], on_total[ones[np.uint64(second[f])]]
        computed[f, 0], computed[f, 1] = on_odds[f, 0] + to_first, on_odds[f, 1] + to_second
        replaced[f, 0], replaced[f, 1] = -to_first, -to_second


@kernel
def adjoints(reward, first, second, zeros, ones, heard, odds, computed, on_total, on_odds, on_reward):
    """Go back through `send`, given the adjoint of the logarithms of the new odds: to those of `total`, of r and ψ."""
    on_heard = np.zeros(len(heard))
    for f in range(np.uint64(len(reward))):
        i, j = np.uint64(first[f]), np.uint64(second[f])
        g, h = computed[f, 0], computed[f, 1]
        # To the second variable, from the first: log(r + ψ B) - log(r + B).
        share = reward[f] * heard[i] / (odds[f, 0] + reward[f] * heard[i])
        slope = h * (share - heard[i] / (odds[f, 0] + heard[i]))
        on_heard[i] += slope
        on_odds[f, 0] -= slope
        total = h * share
        share = reward[f] * heard[j] / (odds[f, 1] + reward[f] * heard[j])
        slope = g * (share - heard[j] / (odds[f, 1] + heard[j]))
        on_heard[j] += slope
        on_odds[f, 1] -= slope
        on_reward[f] = total + g * share
    for v in range(len(heard)):
        on_total[ones[v]] += on_heard[v]
        on_total[zeros[v]] -= on_heard[v]


@kernel
def totals(log_reward, incoming, log_partition, belief):
    """Write log Z of each factor and the probability that both variables are ON, from incoming messages (F, 4)."""
    for f in range(len(log_reward)):
        both = incoming[f, 1] + incoming[f, 3] + log_reward[f]
        neither = incoming[f, 0] + incoming[f, 2]
        one, other = incoming[f, 1] + incoming[f, 2], incoming[f, 0] + incoming[f, 3]
        top = max(max(both, neither), max(one, other))
        if top == -np.inf:
            log_partition[f] = -np.inf
            belief[f] = 0.0
            continue
        share = np.exp(both - top)
        total = share + np.exp(neither - top) + np.exp(one - top) + np.exp(other - top)
        log_partition[f] = top + np.log(total)
        belief[f] = share / total

"""The arithmetic between factors: cavities, normalisation, damping, and sums at the variables.

Legend: `messages` (F, W) of a block of factors to its variables, normalised to a maximum of 0 on each edge; `index`
(F, W) the place of each entry among the states of all variables; `total` (states,) the sum of all messages at a state.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["absorb", "beliefs", "cavities", "heard", "resum", "undo"]

NEGLIGIBLE = -35.0  # e^-35 is below the last digit of a probability: below, changes are relative
NEW_ZERO = 1000.0  # what counts as the change of a message that becomes zero


@kernel
def cavities(total, index, messages, incoming):
    """Write what each factor hears from its variables: the sum of all messages but its own.

    Where its own message is -inf the state is impossible whatever the others say, so it may stay impossible.
    """
    for f in range(np.uint64(index.shape[0])):
        for w in range(np.uint64(index.shape[1])):
            own = messages[f, w]
            incoming[f, w] = total[index[f, w]] - own if own > -np.inf else -np.inf


@kernel
def absorb(proposed, old, targets, offsets, damping, local, counting, new, contribution):
    """Write the new messages (normalised, damped, only to `targets` (F, D)), and their sum at each local state.

    In the sum each factor's messages are weighted by its counting number (F,), which is 1 in belief propagation.

    Returns the greatest change of a message's logarithm, were it not damped, and the row of a factor all of whose
    states are impossible on some edge, or -1.
    """
    change = 0.0
    contradiction = -1
    contribution[:] = 0.0
    for f in range(len(proposed)):
        for d in range(len(offsets) - 1):
            first, last = offsets[d], offsets[d + 1]
            if targets[f, d]:
                top = -np.inf
                for w in range(first, last):
                    top = max(top, proposed[f, w])
                if top == -np.inf:
                    contradiction = f
                    top = 0.0
                for w in range(first, last):
                    new[f, w] = proposed[f, w] - top
                    # A damped message that is impossible stays so.
                    if new[f, w] != old[f, w] and (damping == 0.0 or old[f, w] > -np.inf):
                        # An entry of no weight counts too: it decides where other messages forbid the rest.  But what
                        # changes there is relative, as its digits end earlier.
                        highest = max(new[f, w], old[f, w])
                        difference = abs(new[f, w] - old[f, w])
                        if highest < NEGLIGIBLE:
                            difference *= NEGLIGIBLE / highest
                        change = max(change, min(difference, NEW_ZERO))
                if damping > 0.0:
                    high = -np.inf
                    for w in range(first, last):
                        new[f, w] = (1.0 - damping) * new[f, w] + damping * old[f, w]
                        high = max(high, new[f, w])
                    if high == -np.inf:
                        contradiction = f
                        high = 0.0
                    for w in range(first, last):
                        new[f, w] -= high
            else:
                for w in range(first, last):
                    new[f, w] = old[f, w]
            for w in range(first, last):
                contribution[local[f, w]] += counting[f] * new[f, w]
    return change, contradiction


@kernel
def beliefs(total, start, result):
    """Write the belief of every variable, each normalised; return one without a possible state, or -1."""
    nothing = -1
    for variable in range(len(start) - 1):
        first, last = start[variable], start[variable + 1]
        top = -np.inf
        for state in range(first, last):
            top = max(top, total[state])
        if top == -np.inf:
            nothing = variable
            continue
        mass = 0.0
        for state in range(first, last):
            result[state] = np.exp(total[state] - top)
            mass += result[state]
        for state in range(first, last):
            result[state] /= mass
    return nothing


@kernel
def resum(states, start, positions, contributions, base, total):
    """Sum anew, at some states, the contributions of all blocks; exact, and -inf stays -inf."""
    for i in range(len(states)):
        state = states[i]
        value = base[state]
        for p in range(start[state], start[state + 1]):
            value += contributions[positions[p]]
        total[state] = value


@kernel
def undo(on_total, index, on_messages, new, offsets, targets, damping, computed, replaced):
    """Write the adjoints of the messages that a step computed, and of those which it replaced.

    Messages are normalised, so the adjoints of an edge's states sum to 0 but for rounding errors.  Those would grow by
    the number of the factor's other edges, times that of the variable's other factors, with every step back: the sum is
    taken off, in equal shares, where there is an adjoint at all.
    """
    for f in range(index.shape[0]):
        for d in range(len(offsets) - 1):
            first, last = offsets[d], offsets[d + 1]
            sent = targets[f, d]
            excess, count = 0.0, 0
            for w in range(first, last):
                later = on_total[index[f, w]]
                adjoint = on_messages[f, w] + later if new[f, w] != -np.inf else 0.0
                computed[f, w] = adjoint
                replaced[f, w] = -later
                if adjoint != 0.0:
                    excess += adjoint
                    count += 1
            share = excess / max(count, 1)
            for w in range(first, last):
                if computed[f, w] != 0.0:
                    computed[f, w] -= share
                if sent:
                    replaced[f, w] += damping * computed[f, w]
                    computed[f, w] *= 1.0 - damping
                else:
                    replaced[f, w] += computed[f, w]
                    computed[f, w] = 0.0


@kernel
def heard(incoming, index, on_incoming, on_total):
    """Add the adjoint of what was heard to that of `total`; it is 0 for what was impossible."""
    added = np.zeros_like(on_total)
    for f in range(index.shape[0]):
        for w in range(index.shape[1]):
            if incoming[f, w] == -np.inf:
                on_incoming[f, w] = 0.0
            added[index[f, w]] += on_incoming[f, w]
    on_total += added

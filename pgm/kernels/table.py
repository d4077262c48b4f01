"""Messages of a family of tables in the probability domain.

Safe where it is used: entries of the table and of each message span at most SAFE_RANGE (in natural logarithms) below
their maximum, unless they are zero, so that no product of a table's entry with messages underflows.  A factor that is
not so is left to the log domain (`unsafe`).

Legend: factor f; `weights` (F, S) with the last position running fastest, scaled to a maximum of 1; `cards` (D,) states
and `offsets` (D + 1,) places in a message of each position; m scaled incoming messages; O outgoing ones.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["SAFE_RANGE", "backward", "forward", "prepare", "scale_messages"]

SAFE_RANGE = 150.0  # times four factors at most is above the smallest float, e^-708


@kernel
def scale_messages(incoming, offsets, safe_table, scaled, shift, unsafe):
    """Write exp(incoming - max) into `scaled`, Σ_d max into `shift`, and whether the factor must use the log domain.

    A table with more than three positions multiplies more messages, so each may span less.
    """
    degree = len(offsets) - 1
    limit = SAFE_RANGE * 3.0 / max(degree, 3)
    for f in range(len(incoming)):
        shift[f] = 0.0
        unsafe[f] = not safe_table[f]
        for d in range(degree):
            top = -np.inf
            for s in range(offsets[d], offsets[d + 1]):
                top = max(top, incoming[f, s])
            if top == -np.inf:
                unsafe[f] = True  # a contradiction: the log domain says so
                continue
            shift[f] += top
            for s in range(offsets[d], offsets[d + 1]):
                below = incoming[f, s] - top
                scaled[f, s] = np.exp(below)
                if below < -limit and below > -np.inf:
                    unsafe[f] = True


@kernel
def forward(weights, cards, offsets, scaled, outgoing, total):
    """Write O_d(s) = Σ_{y: y_d = s} ψ(y) Π_{k ≠ d} m_k(y_k) into `outgoing` (zeros at first), and Z into `total`."""
    degree = len(cards)
    inner = cards[degree - 1]
    last = offsets[degree - 1]
    rows = weights.shape[1] // inner
    state = np.zeros(degree, dtype=np.int64)
    before = np.ones(degree)  # before[d]: the product of the messages of the positions before d
    for f in range(len(weights)):
        m, out = scaled[f], outgoing[f]
        state[:] = 0
        at = 0
        for _ in range(rows):
            for d in range(degree - 1):
                before[d + 1] = before[d] * m[offsets[d] + state[d]]
            product = before[degree - 1]
            along = 0.0
            for s in range(np.uint64(inner)):
                weight = weights[f, np.uint64(at) + s]
                along += weight * m[np.uint64(last) + s]
                out[np.uint64(last) + s] += weight * product
            after = along
            for d in range(degree - 2, -1, -1):
                out[offsets[d] + state[d]] += before[d] * after
                after *= m[offsets[d] + state[d]]
            at += inner
            _advance(state, cards, degree - 2)
        z = 0.0
        for s in range(cards[0]):
            z += out[s] * m[s]
        total[f] = z


@kernel
def _advance(state, cards, position):
    """Step to the next joint state of positions 0 … position, the last running fastest."""
    while position >= 0:
        state[position] += 1
        if state[position] < cards[position]:
            return
        state[position] = 0
        position -= 1


@kernel
def backward(weights, cards, offsets, scaled, outgoing, total, d_messages, d_joint, d_incoming, d_weights):
    """Add to the adjoints of incoming messages and log-potentials, given those of log O and of the joint.

    `d_messages` (F, W) is the adjoint of log O_d(s); `d_joint` (F, S) that of log of each joint term ψ Π m, over Z.
    """
    degree = len(cards)
    state = np.zeros(degree, dtype=np.int64)
    before = np.ones(degree + 1)
    after = np.ones(degree + 1)
    part = np.empty(degree)
    for f in range(len(weights)):
        if total[f] <= 0.0:
            continue
        m = scaled[f]
        state[:] = 0
        for at in range(weights.shape[1]):
            weight = weights[f, at]
            if weight > 0.0:
                for d in range(degree):
                    before[d + 1] = before[d] * m[offsets[d] + state[d]]
                for d in range(degree - 1, -1, -1):
                    after[d] = after[d + 1] * m[offsets[d] + state[d]]
                whole = weight * before[degree] / total[f] * d_joint[f, at]
                every = whole
                for d in range(degree):
                    place = offsets[d] + state[d]
                    # An adjoint of 0 stays 0 even where O is.
                    slope = d_messages[f, place] / outgoing[f, place] if d_messages[f, place] != 0.0 else 0.0
                    part[d] = weight * before[d] * after[d + 1] * slope
                    every += part[d]
                d_weights[f, at] += every
                for d in range(degree):
                    place = offsets[d] + state[d]
                    if m[place] > 0.0:
                        d_incoming[f, place] += every - part[d]
            _advance(state, cards, degree - 1)


@kernel
def prepare(log_potentials, weights, scale, safe):
    """Scale tables (F, S): write exp(log-potential - max), the max, and whether all finite entries are within range.

    Returns the least entry of all the scaled tables.
    """
    least = 1.0
    for f in range(len(log_potentials)):
        top = -np.inf
        for s in range(log_potentials.shape[1]):
            top = max(top, log_potentials[f, s])
        if top == -np.inf:
            top = 0.0
        scale[f] = top
        safe[f] = True
        for s in range(log_potentials.shape[1]):
            below = log_potentials[f, s] - top
            weights[f, s] = np.exp(below)
            least = min(least, weights[f, s])
            if below < -SAFE_RANGE and below > -np.inf:
                safe[f] = False
    return least

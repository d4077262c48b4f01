"""Linear chains in the log domain: the fallback of `chain_real`, right for any log-weights.

The log inside values of each position; then, as in `engine_log`, probabilities of the state before *given* the state
after, q(i | j), which need no outside values.  An exponential a transition, computed anew in each pass: O(T K) memory.
Legend as in `chain_real`, and
- into[t, j] = log Σ_i exp(alpha[t-1, i] + transition[i, j])
- alpha[t, j] = into[t, j] + unary[t, j] - shift[t], so that its largest is 0: small numbers keep their digits
- q(i | j) = exp(alpha[t-1, i] + transition[i, j] - into[t, j])
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["backward", "inside", "outside"]


@kernel
def inside(unary, transitions, lengths, into, alpha, log_partition):
    """Fill into and alpha (batch, T, K), and `log_partition`: -inf for an impossible sequence."""
    total = np.empty(unary.shape[2])
    for b in range(len(lengths)):
        c = min(b, transitions.shape[0] - 1)
        log_partition[b] = 0.0
        for t in range(lengths[b]):
            if t == 0:
                into[b, t] = 0.0
            else:
                _log_step(alpha[b, t - 1], transitions[c, min(t - 1, transitions.shape[1] - 1)], into[b, t], total)
            shift = -np.inf
            for j in range(len(total)):
                alpha[b, t, j] = into[b, t, j] + unary[b, t, j]
                shift = max(shift, alpha[b, t, j])
            log_partition[b] += shift
            if shift == -np.inf:
                break
            alpha[b, t] -= shift
        if log_partition[b] > -np.inf:
            log_partition[b] += np.log(np.sum(np.exp(alpha[b, lengths[b] - 1])))


@kernel
def _log_step(before, transition, into, total):
    """Write log Σ_i exp(before[i] + transition[i, j]) into `into`."""
    into[:] = -np.inf
    total[:] = 0.0
    for i in range(len(before)):
        for j in range(len(into)):
            into[j] = max(into[j], before[i] + transition[i, j])
    for i in range(len(before)):
        if before[i] > -np.inf:
            for j in range(len(into)):
                if transition[i, j] > -np.inf:
                    total[j] += np.exp(before[i] + transition[i, j] - into[j])
    for j in range(len(into)):
        if total[j] > 0.0:
            into[j] += np.log(total[j])


@kernel
def outside(transitions, lengths, into, alpha, states, pairs):
    """Fill the marginals `states` (batch, T, K) and, added to zeros, `pairs` (batch, steps or 1, K, K)."""
    for b in range(len(lengths)):
        c = min(b, transitions.shape[0] - 1)
        _last(alpha[b, lengths[b] - 1], states[b, lengths[b] - 1])
        for t in range(lengths[b] - 1, 0, -1):
            s = min(t - 1, transitions.shape[1] - 1)
            for i in range(states.shape[2]):
                states[b, t - 1, i] = 0.0
                if alpha[b, t - 1, i] > -np.inf:
                    for j in range(states.shape[2]):
                        if states[b, t, j] > 0.0:
                            given = np.exp(alpha[b, t - 1, i] + transitions[c, s, i, j] - into[b, t, j])
                            share = states[b, t, j] * given
                            pairs[b, s, i, j] += share
                            states[b, t - 1, i] += share


@kernel
def _last(alpha, states):
    total = np.sum(np.exp(alpha))
    for j in range(len(alpha)):
        states[j] = np.exp(alpha[j]) / total


@kernel
def backward(transitions, lengths, into, alpha, states, of_states, of_pairs, unary_adjoint, adjoint):
    """Fill the adjoints of the log-weights, given those of the marginals; shapes as in `chain_real.backward`.

    `rise` and `fall` as in `engine_log.backward`.
    """
    K = states.shape[2]
    rise = np.empty(states.shape[1:])
    fall, fall_before = np.empty(K), np.empty(K)
    for b in range(len(lengths)):
        c, last = min(b, transitions.shape[0] - 1), lengths[b] - 1
        for t in range(last + 1):
            rise[t] = of_states[b, t]
            if t > 0:
                s = min(t - 1, transitions.shape[1] - 1)
                for i in range(K):
                    for j in range(K):
                        if alpha[b, t - 1, i] > -np.inf and into[b, t, j] > -np.inf:
                            given = np.exp(alpha[b, t - 1, i] + transitions[c, s, i, j] - into[b, t, j])
                            rise[t, j] += given * (of_pairs[c, s, i, j] + rise[t - 1, i])
        top = 0.0
        for j in range(K):
            top += states[b, last, j] * rise[last, j]
        for j in range(K):
            fall[j] = -states[b, last, j] * top
        for t in range(last, -1, -1):
            for j in range(K):
                unary_adjoint[b, t, j] = fall[j] + states[b, t, j] * rise[t, j]
            if t > 0:
                s = min(t - 1, transitions.shape[1] - 1)
                for i in range(K):
                    fall_before[i] = 0.0
                    for j in range(K):
                        if states[b, t, j] > 0.0 and alpha[b, t - 1, i] > -np.inf:
                            given = np.exp(alpha[b, t - 1, i] + transitions[c, s, i, j] - into[b, t, j])
                            share = given * states[b, t, j]
                            flow = given * fall[j] + share * (of_states[b, t, j] + of_pairs[c, s, i, j])
                            fall_before[i] += flow
                            adjoint[b, s, i, j] += flow + share * rise[t - 1, i]
                fall[:] = fall_before

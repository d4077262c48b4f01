"""Linear chains in the real domain (forward-backward with scaling; Rabiner 1989, section V.A), for a padded batch.

Safe by scaling: the unary weights of a position and the transitions of a step are divided by their largest, and every
row of `alpha` by its sum.  A state lost to underflow may be the only one that can go on, so none is to be lost: a
sequence is left to `chain_log` if the possible weights of a step span more than WIDEST_RANGE (in logs), or a possible
state falls below SMALLEST_ALPHA.  What is zero is then impossible; and alpha · beta is a posterior, hence at most 1, so
`beta` cannot overflow where alpha is not zero, and elsewhere it is not computed.

Legend: T positions, K states; b a sequence, t a position, i → j a transition between t - 1 and t or t and t + 1.
- weights (batch or 1, steps or 1, K, K), emissions (batch, T, K): scaled exp of transitions and unary log-weights;
  an axis of length 1 stands for all sequences, or all steps
- alpha[t, j] = (Σ_i alpha[t-1, i] weight[i, j]) emission[t, j] / scale[t], which sums to 1 over j
- ahead[j] = emission[t+1, j] beta[t+1, j] / scale[t+1]
- beta[t, i] = Σ_j weight[i, j] ahead[j]
All sums run along the rows of `weights`: contiguous memory.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["SMALLEST_ALPHA", "WIDEST_RANGE", "backward", "inside", "outside"]

# Together: the smallest possible product of alpha, transition and emission is 1e-230 · e^-130 > 1e-287.
SMALLEST_ALPHA = 1e-230
WIDEST_RANGE = 130.0


@kernel
def inside(unary, transitions, lengths, weights, emissions, alpha, scales, log_partition):
    """Fill weights, emissions, alpha, scales (batch, T) and `log_partition`: NaN where the real domain is unsafe."""
    shifts = np.empty(transitions.shape[:2])
    spans = np.empty(transitions.shape[:2])
    for c in range(transitions.shape[0]):
        longest = np.int64(0)
        for b in range(len(lengths)):
            if b == c or transitions.shape[0] == 1:
                longest = max(longest, lengths[b])
        for s in range(min(longest - 1, transitions.shape[1])):
            shifts[c, s], spans[c, s] = _exp_scaled(transitions[c, s].reshape(-1), weights[c, s].reshape(-1))
    for b in range(len(lengths)):
        c = min(b, transitions.shape[0] - 1)
        log_partition[b] = 0.0
        for t in range(lengths[b]):
            shift, span = _exp_scaled(unary[b, t], emissions[b, t])
            if t == 0:
                alpha[b, t] = emissions[b, t]
            else:
                s = min(t - 1, transitions.shape[1] - 1)
                shift += shifts[c, s]
                span += spans[c, s]
                _step(alpha[b, t - 1], weights[c, s], emissions[b, t], alpha[b, t])
            scales[b, t] = _normalise(alpha[b, t])
            if not (span <= WIDEST_RANGE and scales[b, t] > 0.0):
                log_partition[b] = np.nan
                break
            log_partition[b] += shift + np.log(scales[b, t])


@kernel
def _exp_scaled(scores, weights):
    """Write exp(scores) divided by the largest; return the log of that, and the range of the finite scores."""
    high, low = -np.inf, np.inf
    for k in range(len(scores)):
        high = max(high, scores[k])
        if scores[k] > -np.inf:
            low = min(low, scores[k])
    for k in range(len(scores)):
        weights[k] = np.exp(scores[k] - high) if scores[k] > -np.inf else 0.0
    return high, high - low


@kernel
def _step(before, weight, emission, after):
    after[:] = 0.0
    for i in range(len(before)):
        factor = before[i]
        if factor != 0.0:
            row = weight[i]
            for j in range(len(after)):
                after[j] += factor * row[j]
    for j in range(len(after)):
        after[j] *= emission[j]


@kernel
def _normalise(row):
    """Divide by the sum, and return it; or 0 if there is nothing, or something possible is too small."""
    total = 0.0
    for j in range(len(row)):
        total += row[j]
    if total == 0.0:
        return 0.0
    smallest = 1.0
    for j in range(len(row)):
        row[j] /= total
        if row[j] != 0.0:
            smallest = min(smallest, row[j])
    return total if smallest >= SMALLEST_ALPHA else 0.0


@kernel
def outside(lengths, weights, emissions, alpha, scales, beta, states, pairs):
    """Fill beta (batch, T, K), the marginals `states` (batch, T, K), and `pairs` (batch, steps or 1, K, K) of zeros.

    Sequences with a length of 0 are passed over.
    """
    ahead = np.empty(alpha.shape[2])
    for b in range(len(lengths)):
        c = min(b, weights.shape[0] - 1)
        for t in range(lengths[b] - 1, -1, -1):
            if t == lengths[b] - 1:
                beta[b, t] = 1.0
            else:
                for j in range(len(ahead)):
                    ahead[j] = emissions[b, t + 1, j] * beta[b, t + 1, j] / scales[b, t + 1]
                s = min(t, weights.shape[1] - 1)
                for i in range(len(ahead)):
                    beta[b, t, i] = 0.0
                    if alpha[b, t, i] != 0.0:
                        beta[b, t, i] = _back(alpha[b, t, i], weights[c, s, i], ahead, pairs[b, s, i])
            for i in range(len(ahead)):
                states[b, t, i] = alpha[b, t, i] * beta[b, t, i]


@kernel
def _back(factor, weight, ahead, pairs):
    total = 0.0
    for j in range(len(ahead)):
        product = weight[j] * ahead[j]
        total += product
        pairs[j] += factor * product
    return total


@kernel
def backward(
    lengths, weights, emissions, alpha, scales, beta, states, pairs, of_states, of_pairs, unary_adjoint, adjoint
):
    """Fill the adjoints of unary and transition log-weights, given those of the marginals (`of_states`, `of_pairs`).

    The Hessian of log Z times the direction (of_states, of_pairs), by differentiating both passes along it: `m_alpha`
    and `m_beta` are how alpha and beta move, with the scales held, as the log-weights move in that direction.
    `of_pairs` has the shape of the weights, `adjoint` that of `pairs`, filled with zeros.
    """
    K = alpha.shape[2]
    m_alpha = np.empty(alpha.shape[1:])
    m_beta, ahead, m_ahead = np.empty(K), np.empty(K), np.empty(K)
    for b in range(len(lengths)):
        c = min(b, weights.shape[0] - 1)
        for t in range(lengths[b]):
            m_alpha[t] = 0.0
            if t > 0:
                s = min(t - 1, weights.shape[1] - 1)
                for i in range(K):
                    if alpha[b, t - 1, i] != 0.0:
                        _move_step(
                            alpha[b, t - 1, i], m_alpha[t - 1, i], weights[c, s, i], of_pairs[c, s, i], m_alpha[t]
                        )
            for j in range(K):
                m_alpha[t, j] *= emissions[b, t, j] / scales[b, t]
                m_alpha[t, j] += alpha[b, t, j] * of_states[b, t, j]
        change = np.sum(m_alpha[lengths[b] - 1]) if lengths[b] > 0 else 0.0
        for t in range(lengths[b] - 1, -1, -1):
            if t == lengths[b] - 1:
                m_beta[:] = 0.0
            else:
                for j in range(K):
                    factor = emissions[b, t + 1, j] / scales[b, t + 1]
                    ahead[j] = factor * beta[b, t + 1, j]
                    m_ahead[j] = factor * m_beta[j] + ahead[j] * of_states[b, t + 1, j]
                s = min(t, weights.shape[1] - 1)
                for i in range(K):
                    m_beta[i] = 0.0
                    if alpha[b, t, i] != 0.0:
                        m_beta[i] = _move_back(
                            alpha[b, t, i], m_alpha[t, i], weights[c, s, i], of_pairs[c, s, i],
                            ahead, m_ahead, adjoint[b, s, i],
                        )  # fmt: skip
            for i in range(K):
                moved = m_alpha[t, i] * beta[b, t, i] + alpha[b, t, i] * m_beta[i]
                unary_adjoint[b, t, i] = moved - states[b, t, i] * change
        for s in range(min(lengths[b] - 1, weights.shape[1])):
            for i in range(K):
                for j in range(K):
                    adjoint[b, s, i, j] -= pairs[b, s, i, j] * change


@kernel
def _move_step(factor, m_factor, weight, direction, m_after):
    for j in range(len(weight)):
        m_after[j] += (m_factor + factor * direction[j]) * weight[j]


@kernel
def _move_back(factor, m_factor, weight, direction, ahead, m_ahead, adjoint):
    total = 0.0
    for j in range(len(ahead)):
        product = weight[j] * ahead[j]
        m_product = product * direction[j] + weight[j] * m_ahead[j]
        total += m_product
        adjoint[j] += m_factor * product + factor * m_product
    return total

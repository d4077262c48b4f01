"""The best sequence of a linear chain (Viterbi 1967), for a padded batch.  Legend as in `chain_real`."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["best"]


@kernel
def best(unary, transitions, lengths, best_score, states):
    """Write the score of the best sequence of each row, and its states (batch, T); of states that tie, the first.

    Where every sequence is impossible the score is -inf and the states are left as they are.
    """
    K = unary.shape[2]
    score, after = np.empty(K), np.empty(K)
    before = np.empty((unary.shape[1], K), dtype=np.int64)
    for b in range(len(lengths)):
        c, last = min(b, transitions.shape[0] - 1), lengths[b] - 1
        score[:] = unary[b, 0]
        for t in range(1, last + 1):
            _step(score, transitions[c, min(t - 1, transitions.shape[1] - 1)], after, before[t])
            for j in range(K):
                score[j] = after[j] + unary[b, t, j]
        at = np.argmax(score)
        best_score[b] = score[at]
        if best_score[b] > -np.inf:
            states[b, last] = at
            for t in range(last, 0, -1):
                at = before[t, at]
                states[b, t - 1] = at


@kernel
def _step(score, transition, after, before):
    after[:] = -np.inf
    before[:] = 0
    for i in range(len(score)):
        for j in range(len(after)):
            candidate = score[i] + transition[i, j]
            if candidate > after[j]:
                after[j] = candidate
                before[j] = i

"""The best first-order projective tree (Eisner 1996), for a padded batch.  Charts and `first` as in `eisner_real`."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["best"]

RIGHT, LEFT, SPAN = 0, 1, 2


@kernel
def best(scores, lengths, first, best_score, heads):
    """Write the score of the best tree of each sentence, and its heads (batch, N) with -1 for the root.

    Where every tree is impossible the score is -inf and the heads are left as they are.
    """
    for b in range(len(lengths)):
        n = lengths[b]
        chart = np.empty((3, n + 1, n + 1))
        split = np.empty((3, n + 1, n + 1), dtype=np.int64)
        _fill(scores[b], n, first, chart, split)
        top = np.int64(-1)
        if first == 0:
            best_score[b] = chart[RIGHT, 0, n]
        else:
            best_score[b] = -np.inf
            for m in range(1, n + 1):
                score = scores[b, 0, m] + chart[LEFT, 1, m] + chart[RIGHT, m, n]
                if score > best_score[b]:
                    best_score[b] = score
                    top = m
        if best_score[b] > -np.inf:
            _trace(scores[b], n, top, split, heads[b])


@kernel
def _fill(scores, n, first, chart, split):
    right, left, span = chart[RIGHT], chart[LEFT], chart[SPAN]
    for i in range(n, first - 1, -1):
        right[i, i] = 0.0
        left[i, i] = 0.0
        for j in range(i + 1, n + 1):
            span[i, j] = -np.inf
            split[SPAN, i, j] = i
            for k in range(i, j):
                score = right[i, k] + left[k + 1, j]
                if score > span[i, j]:
                    span[i, j] = score
                    split[SPAN, i, j] = k
            right[i, j] = -np.inf
            split[RIGHT, i, j] = j
            for k in range(i + 1, j + 1):
                score = scores[i, k] + span[i, k] + right[k, j]
                if score > right[i, j]:
                    right[i, j] = score
                    split[RIGHT, i, j] = k
            left[i, j] = -np.inf
            split[LEFT, i, j] = i
            if i > 0:
                for k in range(i, j):
                    score = left[i, k] + span[k, j] + scores[j, k]
                    if score > left[i, j]:
                        left[i, j] = score
                        split[LEFT, i, j] = k


@kernel
def _trace(scores, n, top, split, heads):
    stack = [(np.int64(RIGHT), np.int64(0), np.int64(n))]
    if top >= 0:
        stack.pop()
        heads[top] = 0
        stack.append((np.int64(LEFT), np.int64(1), top))
        stack.append((np.int64(RIGHT), top, np.int64(n)))
    heads[0] = -1
    while len(stack) > 0:
        kind, i, j = stack.pop()
        if i == j:
            continue
        k = split[kind, i, j]
        if kind == RIGHT:
            heads[k] = i
            stack.append((np.int64(SPAN), i, k))
            stack.append((np.int64(RIGHT), k, j))
        elif kind == LEFT:
            heads[k] = j
            stack.append((np.int64(LEFT), i, k))
            stack.append((np.int64(SPAN), k, j))
        else:
            stack.append((np.int64(RIGHT), i, k))
            stack.append((np.int64(LEFT), k + 1, j))

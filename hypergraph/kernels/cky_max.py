"""The best tree of a context-free grammar (CKY with back pointers), for a padded batch.  Legend as in `cky_log`."""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["best"]


@kernel
def best(roots, rules, lexical, lengths, pairs, first_rule, parents, order, best_score, nodes):
    """Write the score of the best tree of each sentence, and its `nodes` (batch, 2 N - 1, 3): (symbol, start, end) in
    preorder.  Of trees that tie, the first symbol, at each node the first rule in the original `order`, then the
    shortest left part.  Where every tree is impossible the score is -inf and the nodes are left as they are.
    """
    for b in range(len(lengths)):
        n, rule, root = lengths[b], rules[min(b, len(rules) - 1)], roots[min(b, len(roots) - 1)]
        symbols = lexical.shape[2]
        chart = np.full((symbols, n + 1, n), -np.inf)
        back = np.full((symbols, n + 1, n, 2), -1)
        chart[:, 1] = lexical[b, :n].T
        score, split = np.empty(n), np.empty(n, dtype=np.int64)
        for w in range(2, n + 1):
            for p in range(len(pairs)):
                if _join(chart[pairs[p, 0]], chart[pairs[p, 1]], n, w, score, split):
                    for r in range(first_rule[p], first_rule[p + 1]):
                        _choose(rule[r], r, order, score, split, n - w + 1, chart[parents[r], w], back[parents[r], w])
        top = np.argmax(root + chart[:, n, 0])
        best_score[b] = root[top] + chart[top, n, 0]
        if best_score[b] > -np.inf:
            _trace(pairs, first_rule, back, top, n, nodes[b])


@kernel
def _join(left, right, n, w, score, split):
    """Write the best split of each span of width w into two such parts; return whether there is a possible one."""
    score[:] = -np.inf
    split[:] = 0
    for u in range(1, w):
        for i in range(n - w + 1):
            candidate = left[u, i] + right[w - u, i + u]
            if candidate > score[i]:
                score[i] = candidate
                split[i] = u
    return np.max(score) > -np.inf


@kernel
def _choose(weight, r, order, score, split, width, chart, back):
    for i in range(width):
        candidate = weight + score[i]
        if candidate > chart[i] or (candidate == chart[i] > -np.inf and order[r] < order[back[i, 0]]):
            chart[i] = candidate
            back[i, 0] = r
            back[i, 1] = split[i]


@kernel
def _trace(pairs, first_rule, back, top, n, nodes):
    stack = [(np.int64(top), np.int64(0), np.int64(n))]
    count = 0
    while len(stack) > 0:
        symbol, start, end = stack.pop()
        nodes[count, 0] = symbol
        nodes[count, 1] = start
        nodes[count, 2] = end
        count += 1
        if end - start > 1:
            r, u = back[symbol, end - start, start, 0], back[symbol, end - start, start, 1]
            p = np.searchsorted(first_rule, r, side="right") - 1
            stack.append((pairs[p, 1], start + u, end))
            stack.append((pairs[p, 0], start, start + u))

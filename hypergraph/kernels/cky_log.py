"""Context-free parsing in the log domain: the fallback of `cky_real`, right for any log-weights.

Log inside values of symbols (symbols, N + 1, N), at [A, w, i], and of pairs of symbols, `both`, which are made anew for
each width; then, as in `engine_log`, probabilities of each way to make an item *given* the item, which need no outside
values:
- of a symbol, the rules:  exp(rule[r] + both[p, i] - chart[A, w, i])
- of a pair, the splits:   exp(chart[B, u, i] + chart[C, w - u, i + u] - both[p, i])
Legend as in `cky_real`.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["backward", "inside", "outside"]


@kernel
def inside(roots, rules, lexical, lengths, pairs, first_rule, parents, charts, log_partition):
    """Fill charts (batch, symbols, N + 1, N), and `log_partition`: -inf for an impossible sentence."""
    for b in range(len(lengths)):
        n, chart, rule = lengths[b], charts[b], rules[min(b, len(rules) - 1)]
        chart[:] = -np.inf
        chart[:, 1] = lexical[b].T
        both, total = np.empty((len(pairs), n)), np.empty((len(chart), n))
        for w in range(2, n + 1):
            _join(chart, pairs, n, w, both)
            total[:] = 0.0
            for p in range(len(pairs)):
                for r in range(first_rule[p], first_rule[p + 1]):
                    best = chart[parents[r], w]
                    for i in range(n - w + 1):
                        best[i] = max(best[i], rule[r] + both[p, i])
            for p in range(len(pairs)):
                for r in range(first_rule[p], first_rule[p + 1]):
                    if rule[r] > -np.inf:
                        best = chart[parents[r], w]
                        for i in range(n - w + 1):
                            if both[p, i] > -np.inf:
                                total[parents[r], i] += np.exp(rule[r] + both[p, i] - best[i])
            for symbol in range(len(chart)):
                for i in range(n - w + 1):
                    if total[symbol, i] > 0.0:
                        chart[symbol, w, i] += np.log(total[symbol, i])
        log_partition[b] = _log_sum(roots[min(b, len(roots) - 1)] + chart[:, n, 0])


@kernel
def _log_sum(scores):
    best = np.max(scores)
    return best + np.log(np.sum(np.exp(scores - best))) if best > -np.inf else best


@kernel
def _join(chart, pairs, n, w, both):
    """Write the log inside values of all pairs over the spans of width w."""
    for p in range(len(pairs)):
        left, right = chart[pairs[p, 0]], chart[pairs[p, 1]]
        for i in range(n - w + 1):
            best = -np.inf
            for u in range(1, w):
                best = max(best, left[u, i] + right[w - u, i + u])
            both[p, i] = best
            if best > -np.inf:
                total = 0.0
                for u in range(1, w):
                    total += np.exp(left[u, i] + right[w - u, i + u] - best)
                both[p, i] += np.log(total)


@kernel
def outside(
    roots, rules, lengths, pairs, first_rule, parents, charts, log_partition,
    posteriors, root_marginals, rule_marginals, marginals,
):  # fmt: skip
    """Fill posteriors (of the shape of charts) and the marginals, all of zeros: shapes as in `cky_real.outside`."""
    for b in range(len(lengths)):
        n, chart, posterior = lengths[b], charts[b], posteriors[b]
        root, rule = roots[min(b, len(roots) - 1)], rules[min(b, len(rules) - 1)]
        both, p_both = np.empty((len(pairs), n)), np.empty((len(pairs), n))
        for symbol in range(len(chart)):
            root_marginals[b, symbol] = np.exp(root[symbol] + chart[symbol, n, 0] - log_partition[b])
            posterior[symbol, n, 0] = root_marginals[b, symbol]
        for w in range(n, 1, -1):
            _join(chart, pairs, n, w, both)
            p_both[:] = 0.0
            for p in range(len(pairs)):
                for r in range(first_rule[p], first_rule[p + 1]):
                    for i in range(n - w + 1):
                        if posterior[parents[r], w, i] > 0.0:
                            share = posterior[parents[r], w, i] * np.exp(rule[r] + both[p, i] - chart[parents[r], w, i])
                            rule_marginals[b, r] += share
                            p_both[p, i] += share
                left, right = pairs[p, 0], pairs[p, 1]
                for i in range(n - w + 1):
                    if p_both[p, i] > 0.0:
                        for u in range(1, w):
                            share = p_both[p, i] * np.exp(chart[left, u, i] + chart[right, w - u, i + u] - both[p, i])
                            posterior[left, u, i] += share
                            posterior[right, w - u, i + u] += share
        for i in range(n):
            for symbol in range(len(chart)):
                marginals[b, i, symbol] = posterior[symbol, 1, i]


@kernel
def backward(
    rules, lengths, pairs, first_rule, parents, charts, posteriors, root_marginals,
    of_roots, of_rules, of_lexical, root_adjoint, rule_adjoint, adjoint,
):  # fmt: skip
    """Fill the adjoints of the log-weights, zeros in the shapes of the marginals, given those of the marginals.

    `rise` and `fall` as in `engine_log.backward`, for symbols and for pairs.
    """
    for b in range(len(lengths)):
        n, chart = lengths[b], charts[b]
        rule, of_root, of_rule = (
            rules[min(b, len(rules) - 1)], of_roots[min(b, len(of_roots) - 1)], of_rules[min(b, len(of_rules) - 1)]
        )  # fmt: skip
        rise, fall = np.zeros_like(chart), np.zeros_like(chart)
        both, rise_both = np.empty((len(pairs), n)), np.empty((len(pairs), n))
        for i in range(n):
            for symbol in range(len(chart)):
                rise[symbol, 1, i] = of_lexical[b, i, symbol]
        for w in range(2, n + 1):
            _join(chart, pairs, n, w, both)
            _rise_both(chart, rise, pairs, n, w, both, rise_both)
            for p in range(len(pairs)):
                for r in range(first_rule[p], first_rule[p + 1]):
                    for i in range(n - w + 1):
                        if rule[r] > -np.inf and both[p, i] > -np.inf:
                            share = np.exp(rule[r] + both[p, i] - chart[parents[r], w, i])
                            rise[parents[r], w, i] += share * (of_rule[r] + rise_both[p, i])
        top = 0.0
        for symbol in range(len(chart)):
            top += root_marginals[b, symbol] * (of_root[symbol] + rise[symbol, n, 0])
        for symbol in range(len(chart)):
            share = root_marginals[b, symbol]
            root_adjoint[b, symbol] = share * (of_root[symbol] + rise[symbol, n, 0] - top)
            fall[symbol, n, 0] = share * (of_root[symbol] - top)
        for w in range(n, 1, -1):
            _join(chart, pairs, n, w, both)
            _rise_both(chart, rise, pairs, n, w, both, rise_both)
            _fall(
                chart, posteriors[b], rise, fall, rule, of_rule, pairs, first_rule, parents, n, w, both, rise_both,
                rule_adjoint[b],
            )  # fmt: skip
        for i in range(n):
            for symbol in range(len(chart)):
                adjoint[b, i, symbol] = fall[symbol, 1, i] + posteriors[b, symbol, 1, i] * of_lexical[b, i, symbol]


@kernel
def _rise_both(chart, rise, pairs, n, w, both, rise_both):
    for p in range(len(pairs)):
        left, right = pairs[p, 0], pairs[p, 1]
        for i in range(n - w + 1):
            rise_both[p, i] = 0.0
            if both[p, i] > -np.inf:
                for u in range(1, w):
                    share = np.exp(chart[left, u, i] + chart[right, w - u, i + u] - both[p, i])
                    rise_both[p, i] += share * (rise[left, u, i] + rise[right, w - u, i + u])


@kernel
def _fall(
    chart, posterior, rise, fall, rule, of_rule, pairs, first_rule, parents, n, w, both, rise_both, rule_adjoint
):  # fmt: skip
    for p in range(len(pairs)):
        left, right = pairs[p, 0], pairs[p, 1]
        for i in range(n - w + 1):
            mass, fall_both = 0.0, 0.0
            for r in range(first_rule[p], first_rule[p + 1]):
                parent = parents[r]
                if posterior[parent, w, i] > 0.0:
                    given = np.exp(rule[r] + both[p, i] - chart[parent, w, i])
                    share = given * posterior[parent, w, i]
                    flow = given * fall[parent, w, i] + share * of_rule[r]
                    rule_adjoint[r] += flow + share * rise_both[p, i]
                    mass += share
                    fall_both += flow
            if mass > 0.0:
                for u in range(1, w):
                    given = np.exp(chart[left, u, i] + chart[right, w - u, i + u] - both[p, i])
                    flow, share = given * fall_both, given * mass
                    fall[left, u, i] += flow + share * rise[right, w - u, i + u]
                    fall[right, w - u, i + u] += flow + share * rise[left, u, i]

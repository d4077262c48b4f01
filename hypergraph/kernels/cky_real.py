"""Context-free parsing in the real domain (Cocke, Kasami, Younger; Baker 1979), for a padded batch, without an edge.

Safe by scaling: the lexical weights of each word are divided by their largest, the root weights by their sum, and the
rules by four times the largest sum of the rules of one parent.  A tree over n words uses n - 1 rules, so all change by
the same factor; and as there are fewer than 4^(n-1) bracketings, no inside or outside value exceeds 1.  Where the total
Z is above SMALLEST_TOTAL, whatever underflows has a posterior below 1e-38; a smaller Z is left to `cky_log`.

Legend: n words; a rule r: A → B C; a pair p = (B, C), the children of the rules first_rule[p] … first_rule[p+1] - 1, by
which the rules are sorted; w the width of a span, u that of its left part.  A chart (symbols, size) has for each symbol
the widths 1 … n one after another, in each the starts 0 … n - w: base[w] + start.
- both[p, i] = Σ_u chart[B, u, i] chart[C, w - u, i + u]     the pair next to each other over i … i + w - 1
- chart[A, w, i] = Σ_r weight[r] both[pair of r, i]
`both` is made anew in each pass, never kept.  `d_` before a name is the derivative of Z in that chart: the inside pass
run backwards.  `m_` is how it moves along a direction.  The inner loops run over starts, contiguous memory; their
indices are unsigned, as in `eisner_real`.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["NUM_CHARTS", "SMALLEST_TOTAL", "backward", "inside", "outside"]

SMALLEST_TOTAL = 1e-270
NUM_CHARTS = 2
INSIDE, OUTSIDE = 0, 1


@kernel
def inside(
    roots, rules, lexical, lengths, pairs, first_rule, parents, root_weights, rule_weights, charts, log_partition
):
    """Fill root_weights, rule_weights, the inside part of charts (batch, NUM_CHARTS, symbols, size), all of zeros, and
    `log_partition`: NaN where Z is too small.

    roots (batch or 1, symbols), rules (batch or 1, rules) sorted by pair, lexical (batch, N, symbols)
    """
    root_shifts, rule_shifts = np.empty(len(roots)), np.empty(len(rules))
    for c in range(len(roots)):
        root_shifts[c] = _scale(roots[c], root_weights[c], np.zeros(roots.shape[1], dtype=np.int64), 1.0)
    for c in range(len(rules)):
        rule_shifts[c] = _scale(rules[c], rule_weights[c], parents, 4.0)
    for b in range(len(lengths)):
        n, chart = lengths[b], charts[b, INSIDE]
        root, rule = min(b, len(roots) - 1), min(b, len(rules) - 1)
        shift = root_shifts[root] + rule_shifts[rule] * (n - 1)
        for i in range(n):
            highest = np.max(lexical[b, i])
            shift += highest
            if highest > -np.inf:
                for symbol in range(len(chart)):
                    chart[symbol, i] = np.exp(lexical[b, i, symbol] - highest)
        _inside(n, (pairs, first_rule, parents), rule_weights[rule], chart)
        total = _total(n, root_weights[root], chart)
        log_partition[b] = np.log(total) + shift if total > SMALLEST_TOTAL else np.nan


@kernel
def _scale(scores, weights, group, factor):
    """Write exp(scores) divided by factor × the largest sum of a group; return the log of what they are divided by."""
    highest = -np.inf
    for k in range(len(scores)):
        highest = max(highest, scores[k])
    if highest == -np.inf:
        return 0.0
    sums = np.zeros(np.max(group) + 1)
    for k in range(len(scores)):
        weights[k] = np.exp(scores[k] - highest)
        sums[group[k]] += weights[k]
    divisor = factor * np.max(sums)
    for k in range(len(scores)):
        weights[k] /= divisor
    return highest + np.log(divisor)


@kernel
def _bases(n):
    """Return where each width begins in a row of the chart."""
    base = np.zeros(n + 1, dtype=np.int64)
    for w in range(1, n):
        base[w + 1] = base[w] + n - w + 1
    return base


@kernel
def _total(n, root_weight, chart):
    top, total = _bases(n)[n], 0.0
    for symbol in range(len(chart)):
        total += root_weight[symbol] * chart[symbol, top]
    return total


@kernel
def _mark_alive(chart, n, base, w, alive):
    """Write which symbols have a value over some span of width w: what has none is passed over."""
    for symbol in range(len(chart)):
        alive[symbol, w] = False
        for i in range(n - w + 1):
            if chart[symbol, base[w] + i] != 0.0:
                alive[symbol, w] = True


@kernel
def _all_alive(chart, n, base):
    alive = np.empty((len(chart), n + 1), dtype=np.bool_)
    for w in range(1, n + 1):
        _mark_alive(chart, n, base, w, alive)
    return alive


@kernel
def _inside(n, grammar, weight, chart):
    pairs, base, both = grammar[0], _bases(n), np.empty(n)
    alive = np.empty((len(chart), n + 1), dtype=np.bool_)
    for w in range(2, n + 1):
        _mark_alive(chart, n, base, w - 1, alive)
        for p in range(len(pairs)):
            left, right = pairs[p, 0], pairs[p, 1]
            if _meet(alive[left], alive[right], w):
                both[:] = 0.0
                _join(chart[left], chart[right], alive[left], alive[right], n, base, w, both, 0)
                _push(both, grammar, p, weight, chart, base[w], n - w + 1)


@kernel
def _meet(left_alive, right_alive, w):
    """Return whether some span of width w may have such a left and such a right part."""
    found = False
    for u in range(1, w):
        found |= left_alive[u] and right_alive[w - u]
    return found


@kernel
def _join(left, right, left_alive, right_alive, n, base, w, both, start):
    """Add Σ_u left[u, i] right[w - u, i + u] to both[start + i]."""
    t = np.uint64(start)
    for u in range(1, w):
        if left_alive[u] and right_alive[w - u]:
            i, j = np.uint64(base[u]), np.uint64(base[w - u] + u)
            for k in range(np.uint64(n - w + 1)):
                both[t + k] += left[i + k] * right[j + k]


@kernel
def _part(d_both, left, right, left_alive, right_alive, n, base, w, d_left, d_right):
    """Undo `_join`: add the derivatives of both sides."""
    for u in range(1, w):
        if left_alive[u] and right_alive[w - u]:
            i, j = np.uint64(base[u]), np.uint64(base[w - u] + u)
            for k in range(np.uint64(n - w + 1)):
                d_left[i + k] += d_both[k] * right[j + k]
            for k in range(np.uint64(n - w + 1)):
                d_right[j + k] += d_both[k] * left[i + k]


@kernel
def _push(both, grammar, p, weight, chart, start, width):
    """Add weight × both to the parent of each rule of the pair, at its spans from `start` on."""
    _, first_rule, parents = grammar
    s = np.uint64(start)
    for r in range(np.uint64(first_rule[p]), np.uint64(first_rule[p + 1])):
        factor, target = weight[r], chart[np.uint64(parents[r])]
        for k in range(np.uint64(width)):
            target[s + k] += factor * both[k]


@kernel
def _pull(d_both, grammar, p, weight, d_chart, start, width):
    """Undo `_push`: add the derivative of `both`."""
    _, first_rule, parents = grammar
    s = np.uint64(start)
    for r in range(np.uint64(first_rule[p]), np.uint64(first_rule[p + 1])):
        factor, source = weight[r], d_chart[np.uint64(parents[r])]
        for k in range(np.uint64(width)):
            d_both[k] += factor * source[s + k]


@kernel
def outside(
    lengths, pairs, first_rule, parents, root_weights, rule_weights, charts, root_marginals, rule_marginals, marginals
):
    """Fill the outside part of the charts, and the marginals, all zeros: those of roots (batch, symbols), rules
    (batch, rules) and lexical weights (batch, N, symbols).  Sentences with a length of 0 are passed over.
    """
    grammar = (pairs, first_rule, parents)
    for b in range(len(lengths)):
        n, chart, d_chart = lengths[b], charts[b, INSIDE], charts[b, OUTSIDE]
        if n > 0:
            root_weight = root_weights[min(b, len(root_weights) - 1)]
            weight = rule_weights[min(b, len(rule_weights) - 1)]
            base, total = _bases(n), _total(n, root_weight, chart)
            alive = _all_alive(chart, n, base)
            for symbol in range(len(chart)):
                d_chart[symbol, base[n]] = root_weight[symbol]
                root_marginals[b, symbol] = root_weight[symbol] * chart[symbol, base[n]] / total
            _outside(n, grammar, base, alive, weight, chart, d_chart)
            _count_rules(n, grammar, base, alive, chart, chart, d_chart, rule_marginals[b])
            rule_marginals[b] *= weight / total
            for i in range(n):
                for symbol in range(len(chart)):
                    marginals[b, i, symbol] = chart[symbol, i] * d_chart[symbol, i] / total


@kernel
def _outside(n, grammar, base, alive, weight, chart, d_chart):
    pairs, d_both = grammar[0], np.empty(n)
    for w in range(n, 1, -1):
        for p in range(len(pairs)):
            B, C = pairs[p, 0], pairs[p, 1]
            if _meet(alive[B], alive[C], w):
                d_both[:] = 0.0
                _pull(d_both, grammar, p, weight, d_chart, base[w], n - w + 1)
                _part(d_both, chart[B], chart[C], alive[B], alive[C], n, base, w, d_chart[B], d_chart[C])


@kernel
def _count_rules(n, grammar, base, alive, lefts, rights, d_chart, counts):
    """Add Σ_spans d_chart[A] both[p] to counts[r], for each rule: the derivative of Z in its weight."""
    pairs, first_rule, parents = grammar
    both = np.empty(base[n] + 1)
    for p in range(len(pairs)):
        B, C = pairs[p, 0], pairs[p, 1]
        both[:] = 0.0
        for w in range(2, n + 1):
            _join(lefts[B], rights[C], alive[B], alive[C], n, base, w, both, base[w])
        for r in range(first_rule[p], first_rule[p + 1]):
            d_parent, total = d_chart[parents[r]], 0.0
            for k in range(len(both)):
                total += d_parent[k] * both[k]
            counts[r] += total


@kernel
def backward(
    lengths, pairs, first_rule, parents, root_weights, rule_weights, charts,
    root_marginals, rule_marginals, marginals, of_roots, of_rules, of_lexical, root_adjoint, rule_adjoint, adjoint,
):  # fmt: skip
    """Fill the adjoints of the log-weights, zeros in the shapes of the marginals, given those of the marginals.

    The Hessian of log Z times the direction (of_roots, of_rules, of_lexical), in the shapes of the weights, by
    differentiating both passes along it.
    """
    grammar = (pairs, first_rule, parents)
    for b in range(len(lengths)):
        n, chart, d_chart = lengths[b], charts[b, INSIDE], charts[b, OUTSIDE]
        if n == 0:
            continue
        root, rule = min(b, len(root_weights) - 1), min(b, len(rule_weights) - 1)
        root_weight, weight = root_weights[root], rule_weights[rule]
        base, total = _bases(n), _total(n, root_weight, chart)
        alive = _all_alive(chart, n, base)
        m_weight = weight * of_rules[rule]
        m_chart, md_chart = np.zeros_like(chart), np.zeros_like(chart)
        for i in range(n):
            for symbol in range(len(chart)):
                m_chart[symbol, i] = chart[symbol, i] * of_lexical[b, i, symbol]
        _move_inside(n, grammar, base, alive, weight, m_weight, chart, m_chart)
        top, change = base[n], 0.0
        for symbol in range(len(chart)):
            md_chart[symbol, top] = root_weight[symbol] * of_roots[root, symbol]
            moved = md_chart[symbol, top] * chart[symbol, top] + root_weight[symbol] * m_chart[symbol, top]
            root_adjoint[b, symbol] = moved / total
            change += moved / total
        root_adjoint[b] -= root_marginals[b] * change
        _move_outside(n, grammar, base, alive, weight, m_weight, chart, m_chart, d_chart, md_chart)
        _count_rules(n, grammar, base, alive, chart, chart, md_chart, rule_adjoint[b])
        _count_rules(n, grammar, base, alive, m_chart, chart, d_chart, rule_adjoint[b])
        _count_rules(n, grammar, base, alive, chart, m_chart, d_chart, rule_adjoint[b])
        for r in range(len(weight)):
            moved = rule_adjoint[b, r] * weight[r] / total
            rule_adjoint[b, r] = moved + rule_marginals[b, r] * (of_rules[rule, r] - change)
        for i in range(n):
            for symbol in range(len(chart)):
                moved = m_chart[symbol, i] * d_chart[symbol, i] + chart[symbol, i] * md_chart[symbol, i]
                adjoint[b, i, symbol] = moved / total - marginals[b, i, symbol] * change


@kernel
def _move_inside(n, grammar, base, alive, weight, m_weight, chart, m_chart):
    pairs, both, m_both = grammar[0], np.empty(n), np.empty(n)
    for w in range(2, n + 1):
        for p in range(len(pairs)):
            B, C = pairs[p, 0], pairs[p, 1]
            if _meet(alive[B], alive[C], w):
                both[:] = 0.0
                m_both[:] = 0.0
                _join(chart[B], chart[C], alive[B], alive[C], n, base, w, both, 0)
                _join(m_chart[B], chart[C], alive[B], alive[C], n, base, w, m_both, 0)
                _join(chart[B], m_chart[C], alive[B], alive[C], n, base, w, m_both, 0)
                _push(both, grammar, p, m_weight, m_chart, base[w], n - w + 1)
                _push(m_both, grammar, p, weight, m_chart, base[w], n - w + 1)


@kernel
def _move_outside(n, grammar, base, alive, weight, m_weight, chart, m_chart, d_chart, md_chart):
    pairs, d_both, md_both = grammar[0], np.empty(n), np.empty(n)
    for w in range(n, 1, -1):
        for p in range(len(pairs)):
            B, C = pairs[p, 0], pairs[p, 1]
            if _meet(alive[B], alive[C], w):
                d_both[:] = 0.0
                md_both[:] = 0.0
                _move_pull(d_both, md_both, grammar, p, weight, m_weight, d_chart, md_chart, base[w], n - w + 1)
                _part(md_both, chart[B], chart[C], alive[B], alive[C], n, base, w, md_chart[B], md_chart[C])
                _part(d_both, m_chart[B], m_chart[C], alive[B], alive[C], n, base, w, md_chart[B], md_chart[C])


@kernel
def _move_pull(d_both, md_both, grammar, p, weight, m_weight, d_chart, md_chart, start, width):
    """Do `_pull`, and how it moves; together, as the time goes into waiting for the last sum."""
    _, first_rule, parents = grammar
    s = np.uint64(start)
    for r in range(np.uint64(first_rule[p]), np.uint64(first_rule[p + 1])):
        factor, m_factor = weight[r], m_weight[r]
        source, m_source = d_chart[np.uint64(parents[r])], md_chart[np.uint64(parents[r])]
        for k in range(np.uint64(width)):
            d_both[k] += factor * source[s + k]
            md_both[k] += m_factor * source[s + k] + factor * m_source[s + k]

"""Inside-outside over the edges of a hypergraph for a factor: log-slopes, with some variables forced on.

A factor wants ∂Z/∂w of each weight w, also of weights that are zero, and each in its own right: the message to a state
does not depend on that state's weight.  So here are the outside values and *log-slopes* log ∂Z/∂w_k, rather than
posteriors.

A variable that *must* be on (its OFF message is -inf) has infinite odds.  Its weights are taken as t · w, and all
values as polynomials in t of which only the leading term matters as t → ∞: a pair (degree, log of the coefficient),
added by keeping the higher degree.  A term whose degree is the number of forced variables uses all of them.  Exact, no
large number.

Graph arrays as in `hypergraph.kernels.engine_log`; `forced` (weights,) is the degree of each weight, 0 or 1.  With
`maximise` sums become maxima (max-product).  A value of -inf is zero, whatever its degree.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = [
    "add_by",
    "inside",
    "others_in_group",
    "others_in_group_backward",
    "posteriors",
    "run",
    "run_backward",
    "sum_by",
    "use_counts",
]


@kernel
def run(
    edge_start, tail_start, tails, weight, root, log_weights, forced, maximise,
    beta, degree, conditional, alpha, alpha_degree, slope, slope_degree,
):  # fmt: skip
    """Run `inside` and `outside` for each row of log_weights (F, weights); every other array has F rows as well."""
    for f in range(len(log_weights)):
        inside(
            edge_start, tail_start, tails, weight, log_weights[f], forced[f], maximise,
            beta[f], degree[f], conditional[f],
        )  # fmt: skip
        outside(
            edge_start, tail_start, tails, weight, root, log_weights[f], forced[f], maximise,
            beta[f], degree[f], alpha[f], alpha_degree[f], slope[f], slope_degree[f],
        )  # fmt: skip


@kernel
def inside(edge_start, tail_start, tails, weight, log_weights, forced, maximise, beta, degree, conditional):
    """Fill `beta` and `degree` (nodes,), and `conditional` (edges,): the probability of each edge given its head."""
    edge_degree = np.empty(len(conditional), dtype=np.int64)
    for node in range(len(edge_start) - 1):
        first, last = edge_start[node], edge_start[node + 1]
        top, top_degree = -np.inf, np.int64(-1)
        for edge in range(first, last):
            k = weight[edge]
            score, power = (log_weights[k], forced[k]) if k >= 0 else (0.0, np.int64(0))
            for t in range(tail_start[edge], tail_start[edge + 1]):
                score += beta[tails[t]]
                power += degree[tails[t]]
            conditional[edge] = score
            edge_degree[edge] = power
            if score > -np.inf and (power > top_degree or (power == top_degree and score > top)):
                top, top_degree = score, power
        total = 0.0
        for edge in range(first, last):
            if conditional[edge] > -np.inf and edge_degree[edge] == top_degree:
                conditional[edge] = np.exp(conditional[edge] - top)
                total += conditional[edge]
            else:
                conditional[edge] = 0.0
        beta[node] = top
        degree[node] = max(top_degree, 0)
        if total > 0.0:
            if not maximise:
                beta[node] += np.log(total)
            for edge in range(first, last):
                conditional[edge] /= total


@kernel
def _accumulate(values, degrees, index, term, power, maximise):
    if term == -np.inf or (values[index] > -np.inf and power < degrees[index]):
        return
    if values[index] == -np.inf or power > degrees[index]:
        values[index] = term
        degrees[index] = power
    elif maximise:
        values[index] = max(values[index], term)
    else:
        high, low = max(values[index], term), min(values[index], term)
        values[index] = high + np.log1p(np.exp(low - high))


@kernel
def outside(
    edge_start, tail_start, tails, weight, root, log_weights, forced, maximise,
    beta, degree, alpha, alpha_degree, slope, slope_degree,
):  # fmt: skip
    """Fill `alpha` (nodes,), the log-weight of what surrounds a node, and `slope` (weights,), with their degrees."""
    alpha[:] = -np.inf
    alpha_degree[:] = 0
    slope[:] = -np.inf
    slope_degree[:] = 0
    alpha[root] = 0.0
    for node in range(root, -1, -1):
        if alpha[node] == -np.inf:
            continue
        for edge in range(edge_start[node], edge_start[node + 1]):
            k = weight[edge]
            if k >= 0:
                around, power = alpha[node], alpha_degree[node]
                for t in range(tail_start[edge], tail_start[edge + 1]):
                    around += beta[tails[t]]
                    power += degree[tails[t]]
                _accumulate(slope, slope_degree, k, around, power, maximise)
                if log_weights[k] == -np.inf:
                    continue
            for t in range(tail_start[edge], tail_start[edge + 1]):
                term, power = _beside(
                    tail_start, tails, edge, t, k, log_weights, forced, beta, degree, alpha[node], alpha_degree[node]
                )
                _accumulate(alpha, alpha_degree, tails[t], term, power, maximise)


@kernel
def _beside(tail_start, tails, edge, place, k, log_weights, forced, beta, degree, above, above_degree):
    """Return what surrounds one tail of an edge."""
    term, power = above, above_degree
    if k >= 0:
        term += log_weights[k]
        power += forced[k]
    for other in range(tail_start[edge], tail_start[edge + 1]):
        if other != place:
            term += beta[tails[other]]
            power += degree[tails[other]]
    return term, power


@kernel
def run_backward(
    edge_start, tail_start, tails, weight, log_weights, forced, beta, degree, conditional,
    alpha, alpha_degree, slope, slope_degree, slope_adjoint, weight_adjoint,
):  # fmt: skip
    """Run `backward` for each row."""
    for f in range(len(log_weights)):
        backward(
            edge_start, tail_start, tails, weight, log_weights[f], forced[f], beta[f], degree[f], conditional[f],
            alpha[f], alpha_degree[f], slope[f], slope_degree[f], slope_adjoint[f], weight_adjoint[f],
        )  # fmt: skip


@kernel
def backward(
    edge_start, tail_start, tails, weight, log_weights, forced, beta, degree, conditional,
    alpha, alpha_degree, slope, slope_degree, slope_adjoint, weight_adjoint,
):  # fmt: skip
    """Add to `weight_adjoint` that of the log-weights, given that of the log-slopes (sum-product).

    Each of the three passes backwards; what flows along a term is its share of the sum, a number in [0, 1].
    """
    num_nodes = len(edge_start) - 1
    d_alpha, d_beta = np.zeros(num_nodes), np.zeros(num_nodes)
    for node in range(num_nodes):
        if alpha[node] == -np.inf:
            continue
        for edge in range(edge_start[node], edge_start[node + 1]):
            k = weight[edge]
            first, last = tail_start[edge], tail_start[edge + 1]
            if k >= 0 and slope_adjoint[k] != 0.0 and slope[k] > -np.inf:
                around, power = alpha[node], alpha_degree[node]
                for t in range(first, last):
                    around += beta[tails[t]]
                    power += degree[tails[t]]
                if power == slope_degree[k] and around > -np.inf:
                    flow = slope_adjoint[k] * np.exp(around - slope[k])
                    d_alpha[node] += flow
                    for t in range(first, last):
                        d_beta[tails[t]] += flow
            if k >= 0 and log_weights[k] == -np.inf:
                continue
            for t in range(first, last):
                tail = tails[t]
                if d_alpha[tail] != 0.0:
                    term, power = _beside(
                        tail_start, tails, edge, t, k, log_weights, forced, beta, degree,
                        alpha[node], alpha_degree[node],
                    )  # fmt: skip
                    if power == alpha_degree[tail] and term > -np.inf:
                        flow = d_alpha[tail] * np.exp(term - alpha[tail])
                        d_alpha[node] += flow
                        if k >= 0:
                            weight_adjoint[k] += flow
                        for other in range(first, last):
                            if other != t:
                                d_beta[tails[other]] += flow
    for node in range(num_nodes - 1, -1, -1):
        if d_beta[node] != 0.0:
            for edge in range(edge_start[node], edge_start[node + 1]):
                if conditional[edge] > 0.0:
                    flow = d_beta[node] * conditional[edge]
                    if weight[edge] >= 0:
                        weight_adjoint[weight[edge]] += flow
                    for t in range(tail_start[edge], tail_start[edge + 1]):
                        d_beta[tails[t]] += flow


@kernel
def posteriors(edge_start, tail_start, tails, weight, root, conditional, scale, expected):
    """Add to `expected` (weights,) `scale` times the expected uses of each weight, from `inside` alone."""
    mass = np.zeros(len(edge_start) - 1)
    mass[root] = scale
    for node in range(root, -1, -1):
        if mass[node] != 0.0:
            for edge in range(edge_start[node], edge_start[node + 1]):
                share = mass[node] * conditional[edge]
                if weight[edge] >= 0:
                    expected[weight[edge]] += share
                for t in range(tail_start[edge], tail_start[edge + 1]):
                    mass[tails[t]] += share


@kernel
def use_counts(edge_start, tail_start, tails, weight, root, position, possible, fewest, most):
    """Write the fewest and most weights of each variable that a possible derivation uses; `fewest` is -1 for none."""
    num_nodes = len(edge_start) - 1
    low, high = np.empty(num_nodes, dtype=np.int64), np.empty(num_nodes, dtype=np.int64)
    for variable in range(len(fewest)):
        for node in range(num_nodes):
            low[node], high[node] = -1, -1
            for edge in range(edge_start[node], edge_start[node + 1]):
                k = weight[edge]
                if k >= 0 and not possible[k]:
                    continue
                own = 1 if k >= 0 and position[k] == variable else 0
                least, greatest, derived = own, own, True
                for t in range(tail_start[edge], tail_start[edge + 1]):
                    derived = derived and low[tails[t]] >= 0
                    least += low[tails[t]]
                    greatest += high[tails[t]]
                if derived:
                    low[node] = least if low[node] < 0 else min(low[node], least)
                    high[node] = max(high[node], greatest)
        fewest[variable], most[variable] = low[root], high[root]


@kernel
def sum_by(values, index, maximise, result):
    """Write into result (F, targets) log Σ exp values[f, k] (or the maximum) over all k with that index, but not -1."""
    for f in range(len(values)):
        result[f] = -np.inf
        for k in range(len(index)):
            if index[k] >= 0:
                result[f, index[k]] = max(result[f, index[k]], values[f, k])
        if not maximise:
            total = np.zeros(result.shape[1])
            for k in range(len(index)):
                if index[k] >= 0 and values[f, k] > -np.inf:
                    total[index[k]] += np.exp(values[f, k] - result[f, index[k]])
            for target in range(result.shape[1]):
                if total[target] > 0.0:
                    result[f, target] += np.log(total[target])


@kernel
def add_by(values, index, result):
    """Add values[f, k] to result[f, index[k]]; an index of -1 is passed over."""
    for f in range(len(values)):
        for k in range(len(index)):
            if index[k] >= 0:
                result[f, index[k]] += values[f, k]


@kernel
def others_in_group(totals, must, group, members, start, maximise, result):
    """Write for each variable of a group the log-sum (or maximum) of the totals of the group's others.

    members[start[g]:start[g + 1]] are the variables of group g.  If a member must be on, it is the only other one that
    counts (for itself all others do).  Nothing is subtracted: quadratic in the size of a group.
    """
    for f in range(len(totals)):
        for d in range(len(group)):
            if group[d] >= 0:
                top = -np.inf
                for place in range(start[group[d]], start[group[d] + 1]):
                    if _counts(must[f], members, start, group[d], members[place], d):
                        top = max(top, totals[f, members[place]])
                result[f, d] = top
                if not maximise and top > -np.inf:
                    total = 0.0
                    for place in range(start[group[d]], start[group[d] + 1]):
                        if _counts(must[f], members, start, group[d], members[place], d):
                            total += np.exp(totals[f, members[place]] - top)
                    result[f, d] = top + np.log(total)


@kernel
def _counts(must, members, start, g, other, variable):
    if other == variable:
        return False
    if must[variable] or must[other]:
        return True
    return not must[members[start[g] : start[g + 1]]].any()


@kernel
def others_in_group_backward(totals, must, group, members, start, result, adjoint, total_adjoint):
    """Add to `total_adjoint` (F, D) that of the totals, given that of `result`."""
    for f in range(len(totals)):
        for d in range(len(group)):
            if group[d] >= 0 and adjoint[f, d] != 0.0 and result[f, d] > -np.inf:
                for place in range(start[group[d]], start[group[d] + 1]):
                    other = members[place]
                    if _counts(must[f], members, start, group[d], other, d):
                        total_adjoint[f, other] += adjoint[f, d] * np.exp(totals[f, other] - result[f, d])

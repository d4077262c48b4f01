"""The maximum spanning arborescence of a dense graph in O(n²) (Chu & Liu 1965; Edmonds 1967; Tarjan 1977).

Grow a path backwards: from a node go to the source of the best arc into it, and so on.  Where that comes back to the
path, the cycle is contracted to one new node; an arc into the new node is worth what it gains over the arc of the cycle
that it replaces.  Where it comes to what already hangs on the root, all of the path does.  In the end the nodes are
opened again, last made first: the arc that enters a contracted node replaces the cycle's arc into the same word.

Arcs are compared by (tier, score): the fewest arcs of tier 1 first, then the greatest score.  With the root's arcs in
tier 1 that is exactly one child of the root wherever that is possible; no large penalty is added, so no digits are
lost.

Legend: `n` words and the root 0; nodes 0 … n and then contracted ones, less than 2 n + 1 in all; `gain[v, u]`, `tier[v,
u]` and `entry[v, u]`: the best arc from the word u into the node v, and the word of v that it enters (-1: there is
none).
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["best"]


@kernel
def best(scores, lengths, one_root, totals, heads):
    """Write the score of the best tree of each sentence into `totals` (-inf if there is none), and its heads.

    scores (batch, N, N) and lengths (batch,); totals (batch,); heads (batch, N), of which padding is left as it is.
    """
    for b in range(len(scores)):
        size = lengths[b] + 1
        if not _best_tree(scores[b, :size, :size], one_root, heads[b, :size]):
            totals[b] = -np.inf
            continue
        totals[b] = 0.0
        for m in range(1, size):
            totals[b] += scores[b, heads[b, m], m]


@kernel
def _best_tree(scores, one_root, heads):
    """Write the head of each word into `heads` (n + 1,), with -1 for the root; return whether there is a tree."""
    n = len(scores) - 1
    limit = 2 * n + 2
    gain, tier = np.zeros((limit, n + 1)), np.zeros((limit, n + 1), dtype=np.int64)
    entry = np.full((limit, n + 1), -1)
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h != m and scores[h, m] > -np.inf:
                gain[m, h] = scores[h, m]
                tier[m, h] = 1 if one_root and h == 0 else 0
                entry[m, h] = m
    top = np.arange(n + 1)  # the node that holds a word and is in no other
    holder = np.full(limit, -1)  # the node that a node was contracted into
    chosen = np.full(limit, -1)  # the source of the best arc into a node
    position = np.full(limit, -1)  # on the path
    hangs = np.zeros(limit, dtype=np.bool_)
    hangs[0] = True
    path = np.empty(limit, dtype=np.int64)
    count = n + 1
    for start in range(1, n + 1):
        if hangs[top[start]]:
            continue
        path[0] = top[start]
        position[path[0]] = 0
        length = 1
        while True:
            node = path[length - 1]
            source = _best_source(gain[node], tier[node], entry[node], top, node)
            if source < 0:
                return False
            chosen[node] = source
            above = top[source]
            if hangs[above]:
                break
            if position[above] < 0:
                path[length] = above
                position[above] = length
                length += 1
                continue
            first = position[above]
            _contract(path[first:length], chosen, gain, tier, entry, count)
            for place in range(first, length):
                holder[path[place]] = count
            for word in range(1, n + 1):
                if holder[top[word]] == count:
                    top[word] = count
            path[first] = count
            position[count] = first
            length = first + 1
            count += 1
        for place in range(length):
            hangs[path[place]] = True
    _open(chosen, entry, holder, count, heads)
    return not one_root or np.sum(heads == 0) == 1


@kernel
def _best_source(gain, tier, entry, top, node):
    """Return the source of the best arc into a node from outside it; -1 if there is none."""
    best = -1
    for u in range(len(gain)):
        if (
            entry[u] >= 0
            and top[u] != node
            and (best < 0 or tier[u] < tier[best] or (tier[u] == tier[best] and gain[u] > gain[best]))
        ):
            best = u
    return best


@kernel
def _contract(cycle, chosen, gain, tier, entry, new):
    """Write the row of a new node: for each source the best gain over the cycle's own arc."""
    for node in cycle:
        own_gain, own_tier = gain[node, chosen[node]], tier[node, chosen[node]]
        for u in range(gain.shape[1]):
            if entry[node, u] < 0:
                continue
            more, level = gain[node, u] - own_gain, tier[node, u] - own_tier
            if entry[new, u] < 0 or level < tier[new, u] or (level == tier[new, u] and more > gain[new, u]):
                gain[new, u], tier[new, u], entry[new, u] = more, level, entry[node, u]


@kernel
def _open(chosen, entry, holder, count, heads):
    """Open the nodes, last made first; an arc replaces those of the nodes between its word and the node it enters."""
    replaced = np.zeros(count, dtype=np.bool_)
    heads[0] = -1
    for node in range(count - 1, 0, -1):
        if not replaced[node]:
            word = entry[node, chosen[node]]
            heads[word] = chosen[node]
            inner = word
            while inner != node:
                replaced[inner] = True
                inner = holder[inner]

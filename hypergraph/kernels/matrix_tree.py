"""Sums over dependency trees in the real domain, without a subtraction (`hypergraph.nonprojective.elimination`).

Safe where it says so: the arcs into each word are divided by the greatest of them, every later value is a sum of
products of two positive ones, and a factor in which such a product could fall below SMALLEST (or a share of the light
root rise above 1 / SMALLEST) is UNSAFE and left to the log domain. Where it is SAFE nothing underflowed, so that every
value has its full relative accuracy and a zero is a real one.

Legend: the plan has a row for each step (`EliminationStep`); in the square matrix of a step, index 0 is the root,
1 the light root, 2 … the words.  Once word k is eliminated, its column holds the shares c(h), its row the weights
w(k → m) at that time, and its place on the diagonal their sum s.  Inner loops have unsigned indices, so that they are
vectorised.
"""

import numpy as np

from autodiff.kernels.compiler import kernel

__all__ = ["IMPOSSIBLE", "SAFE", "SMALLEST", "UNSAFE", "backward", "forward"]

SMALLEST = 1e-250
SAFE, UNSAFE, IMPOSSIBLE = range(3)
SIZE, KEPT, PARENT, SHIFT, MATRIX, ESCAPE = range(6)


@kernel
def forward(scores, one_root, plan, matrices, escapes, log_partition, state):
    """Eliminate along the plan, and find escape probabilities.

    scores (F, n + 1, n + 1); plan (steps, 6); matrices and escapes (F, …) room for all steps; log_partition (F,) and
    state (F,) of SAFE, UNSAFE or IMPOSSIBLE are written.
    """
    blocks = 2 if one_root else 1
    for f in range(len(scores)):
        state[f], log_partition[f] = _eliminate_all(scores[f], one_root, plan, matrices[f])
        if state[f] == SAFE and not _escape_all(plan, blocks, matrices[f], escapes[f]):
            state[f] = UNSAFE


@kernel
def backward(plan, blocks, matrices, escapes, d_escapes, adjoint):
    """Write into `adjoint` (n + 2, n + 2) that of the scaled weights of one factor, the matrix of the first step.

    d_escapes is zero but for the escapes of the first step, whose adjoints it holds; it is used up.
    """
    d_matrices = np.zeros_like(matrices)
    d_shares = np.zeros_like(matrices)  # in the columns of eliminated words
    for step in range(len(plan)):
        _undo_escape(plan, step, blocks, matrices, escapes, d_escapes, d_shares)
    for step in range(len(plan) - 1, -1, -1):
        size, kept = plan[step, SIZE] + 2, plan[step, KEPT] + 2
        d_matrix = _square(d_matrices, plan, step)
        _undo_elimination(_square(matrices, plan, step), d_matrix, _square(d_shares, plan, step), size, kept)
        if step > 0:
            _add_permuted(d_matrix, size, plan[step, SHIFT], _square(d_matrices, plan, plan[step, PARENT]))
    adjoint[:, :] = _square(d_matrices, plan, 0)


@kernel
def _square(buffer, plan, step):
    size = plan[step, SIZE] + 2
    return buffer[plan[step, MATRIX] : plan[step, MATRIX] + size * size].reshape(size, size)


@kernel
def _oblong(buffer, plan, step, blocks):
    size, columns = plan[step, SIZE] + 2, blocks * plan[step, KEPT]
    return buffer[plan[step, ESCAPE] : plan[step, ESCAPE] + size * columns].reshape(size, columns)


@kernel
def _eliminate_all(scores, one_root, plan, matrices):
    """Return whether it went well, and log Z."""
    first = _square(matrices, plan, 0)
    state, log_partition = _scale(scores, one_root, first)
    if state != SAFE:
        return state, log_partition
    degree = 0
    on_path = 0  # the steps that keep the first word are 0, 1, 3, …: each is the first child of the one before
    for step in range(len(plan)):
        size, kept = plan[step, SIZE] + 2, plan[step, KEPT] + 2
        matrix = _square(matrices, plan, step)
        if step > 0:
            _copy_permuted(_square(matrices, plan, plan[step, PARENT]), size, plan[step, SHIFT], matrix)
        state, log_product, promoted = _eliminate(matrix, size, kept)
        if state != SAFE:
            return state, -np.inf if state == IMPOSSIBLE else np.nan
        if step == 0 or (plan[step, PARENT] == on_path and plan[step, SHIFT] == 0):
            on_path = step
            log_partition += log_product
            degree += promoted
            if kept == 3:
                last = matrix[0, 2]
                if last == 0.0:
                    last = matrix[1, 2]
                    degree += 1
                log_partition += np.log(last)
                if last == 0.0 or degree > 1:
                    return IMPOSSIBLE, -np.inf
    return SAFE, log_partition


@kernel
def _scale(scores, one_root, matrix):
    """Write the weights of the first step; return whether they are safe, and the log of what trees were divided by."""
    n = len(scores) - 1
    shift = 0.0
    root = 1 if one_root else 0
    matrix[:2, :] = 0.0
    for m in range(1, n + 1):
        best = -np.inf
        certain = 0
        for h in range(n + 1):
            if h != m:
                best = max(best, scores[h, m])
                certain += scores[h, m] == np.inf
        if best == -np.inf or certain > 1:
            return IMPOSSIBLE, -np.inf
        shift += best if certain == 0 else 0.0
        for h in range(n + 1):
            row = root if h == 0 else h + 1
            if h == m or scores[h, m] == -np.inf:
                matrix[row, m + 1] = 0.0
            elif certain == 1:
                matrix[row, m + 1] = 1.0 if scores[h, m] == np.inf else 0.0
            else:
                weight = np.exp(scores[h, m] - best)
                if weight < SMALLEST:
                    return UNSAFE, np.nan
                matrix[row, m + 1] = weight
    return SAFE, shift


@kernel
def _copy_permuted(source, size, shift, target):
    """Copy the kept part of a step's matrix for its child, whose first word is the one at `shift`."""
    words = size - 2
    for h in range(size):
        row = h if h < 2 else (h - 2 + shift) % words + 2
        for m in range(words - shift):
            target[h, m + 2] = source[row, m + 2 + shift]
        for m in range(words - shift, words):
            target[h, m + 2] = source[row, m + 2 + shift - words]


@kernel
def _add_permuted(source, size, shift, target):
    """Undo `_copy_permuted`, for adjoints."""
    words = size - 2
    for h in range(size):
        row = h if h < 2 else (h - 2 + shift) % words + 2
        for m in range(words - shift):
            target[row, m + 2 + shift] += source[h, m + 2]
        for m in range(words - shift, words):
            target[row, m + 2 + shift - words] += source[h, m + 2]


@kernel
def _eliminate(matrix, size, kept):
    """Eliminate the last words in place; return how it went, Σ log s, and how often the light root stepped in."""
    log_product = 0.0
    promoted = 0
    for k in range(size - 1, kept - 1, -1):
        total = 0.0
        for h in range(k):
            if h != 1:
                total += matrix[h, k]
        if total == 0.0:
            total = matrix[1, k]
            if total == 0.0:
                return IMPOSSIBLE, -np.inf, 0
            promoted += 1
            matrix[0, k] = 1.0
            matrix[1, k] = 0.0
            matrix[k, k] = np.inf  # the shares do not depend on the weights
        else:
            for h in range(k):
                matrix[h, k] /= total
            matrix[k, k] = total
        log_product += np.log(total)
        least_share, least_weight = np.inf, np.inf
        for h in range(k):
            if 0.0 < matrix[h, k] < least_share:
                least_share = matrix[h, k]
        for m in range(2, k):
            if 0.0 < matrix[k, m] < least_weight:
                least_weight = matrix[k, m]
        if min(least_share, total) < SMALLEST or least_share * least_weight < SMALLEST or matrix[1, k] > 1 / SMALLEST:
            return UNSAFE, np.nan, 0
        for h in range(k):
            _push(matrix[h, k], matrix[k], matrix[h], 2, k)  # what lands on the diagonal is never read
    return SAFE, log_product, promoted


@kernel
def _push(factor, source, target, start, stop):
    """Add factor × source to target."""
    if factor != 0.0:
        for j in range(np.uint64(start), np.uint64(stop)):
            target[j] += factor * source[j]


@kernel
def _pull(factor, source, d_source, d_target, start, stop):
    """Undo `_push`: add to the adjoint of the source, and return that of the factor."""
    d_factor = 0.0
    for j in range(np.uint64(start), np.uint64(stop)):
        d_factor += d_target[j] * source[j]
        d_source[j] += d_target[j] * factor
    return d_factor


@kernel
def _escape_all(plan, blocks, matrices, escapes):
    """Fill the escape probabilities of every step, children before parents; return whether that was safe."""
    least = np.ones(len(plan))
    for step in range(len(plan) - 1, -1, -1):
        size, kept = plan[step, SIZE] + 2, plan[step, KEPT] + 2
        words = plan[step, KEPT]
        matrix = _square(matrices, plan, step)
        escape = _oblong(escapes, plan, step, blocks)
        if words == 1:
            escape[2, :] = 0.0
        escape[0, :words] = 1.0
        escape[1, :words] = 0.0
        if blocks == 2:
            escape[0, words:] = 0.0
            escape[1, words:] = 1.0
        for k in range(kept, size):
            least_share = np.inf
            escape[k, :] = 0.0
            for h in range(k):
                if 0.0 < matrix[h, k] < least_share:
                    least_share = matrix[h, k]
                _push(matrix[h, k], escape[h], escape[k], 0, blocks * words)
            if least_share * least[step] < SMALLEST:
                return False
            for m in range(words):
                if blocks == 2 and escape[k, m] > 0.0:
                    escape[k, words + m] = 0.0
                value = max(escape[k, m], escape[k, words + m] if blocks == 2 else 0.0)
                if 0.0 < value < least[step]:
                    least[step] = value
        if step > 0:
            parent = plan[step, PARENT]
            above = _oblong(escapes, plan, parent, blocks)
            _move_escape(escape, above, plan[step, SIZE], words, plan[parent, KEPT], plan[step, SHIFT], blocks, False)
            least[parent] = min(least[parent], least[step])
    return True


@kernel
def _move_escape(below, above, size, words, width, shift, blocks, down):
    """Copy a child's escapes into its columns of the parent's, or (down) adjoints from there."""
    for i in range(size):
        row = (i + shift) % size + 2
        for b in range(blocks):
            for m in range(words):
                if down:
                    below[i + 2, b * words + m] = above[row, b * width + shift + m]
                else:
                    above[row, b * width + shift + m] = below[i + 2, b * words + m]


@kernel
def _undo_escape(plan, step, blocks, matrices, escapes, d_escapes, d_shares):
    """Take the adjoints of a step's escapes from its parent, and turn them into those of its shares."""
    size, kept = plan[step, SIZE] + 2, plan[step, KEPT] + 2
    words = plan[step, KEPT]
    escape, d_escape = _oblong(escapes, plan, step, blocks), _oblong(d_escapes, plan, step, blocks)
    matrix, d_share = _square(matrices, plan, step), _square(d_shares, plan, step)
    if step > 0:
        parent = plan[step, PARENT]
        above = _oblong(d_escapes, plan, parent, blocks)
        _move_escape(d_escape, above, plan[step, SIZE], words, plan[parent, KEPT], plan[step, SHIFT], blocks, True)
    for k in range(size - 1, kept - 1, -1):
        if blocks == 2:
            for m in range(words):
                if escape[k, m] > 0.0:
                    d_escape[k, words + m] = 0.0
        for h in range(k):
            if matrix[h, k] != 0.0:
                d_share[h, k] = _pull(matrix[h, k], escape[h], d_escape[h], d_escape[k], 0, blocks * words)


@kernel
def _undo_elimination(matrix, d_matrix, d_share, size, kept):
    for k in range(kept, size):
        mean = 0.0
        for h in range(k):
            if matrix[h, k] != 0.0:
                d_share[h, k] += _pull(matrix[h, k], matrix[k], d_matrix[k], d_matrix[h], 2, k)
                mean += matrix[h, k] * d_share[h, k]
        for h in range(k):
            d_matrix[h, k] = (d_share[h, k] - (mean if h != 1 else 0.0)) / matrix[k, k]

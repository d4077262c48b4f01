"""The features of parts, from what their words add (`words`): a few additions and one multiplication each.

`_indices` is the one place where features are made; around it stand extraction, scores and gradients.  It takes flat
arrays and offsets: views and tuples of arrays would be counted (by Numba) for every part, at the cost of ten features.

Legend: `a`, `b`, `c` (parts,) the positions of the words of each part, in the order of its block's roles (`c` is not read
with two roles); `answers` (2, parts) rows of the table of answers; `sums` (T,) and `rows` (2 × most,) for scratch.
"""

import numpy as np

from autodiff.kernels.compiler import kernel
from nlp.features.kernels.hashing import finish

__all__ = ["accumulate", "count", "extract", "score"]


@kernel
def _set_rows(source, attribute, roles, x, y, p, size, morph_offsets, between, distinct, rows, offset):
    """Write the rows of `sets` that a part has for a source; return how many.

    `p` is the word whose morphology is asked for; `x` and `y` are those between which words are looked at.
    """
    if source < roles:
        start = morph_offsets[p]
        total = morph_offsets[p + 1] - start
        for i in range(total):
            rows[offset + i] = start + i
        return np.int64(total)
    base = (attribute * size + min(x, y)) * size
    total = distinct[base + max(x, y)]
    for i in range(total):
        rows[offset + i] = between[base + i]
    return np.int64(total)


@kernel
def _indices(
    T, plain, roles, shift, groups, ends, table, size, words, sets, morph_offsets, between, distinct,
    a, b, c, answer, other_answer, sums, rows, out, start,
):  # fmt: skip
    """Write the indices of a part's features to `out` from `start` on; return where they stop."""
    one, two, three = np.uint64(a * T), np.uint64((size + b) * T), np.uint64((2 * size + c) * T)
    four, five = np.uint64(answer * T), np.uint64(other_answer * T)
    begin = np.uint64(start)
    if roles == 3:
        for t in range(np.uint64(plain)):
            total = words[one + t] + words[two + t] + words[three + t] + table[four + t] + table[five + t]
            out[begin + t] = np.uint32(finish(total, shift))
    else:
        for t in range(np.uint64(plain)):
            total = words[one + t] + words[two + t] + table[four + t] + table[five + t]
            out[begin + t] = np.uint32(finish(total, shift))
    stop = start + plain
    if len(groups) == 0:
        return stop
    for t in range(np.uint64(plain), np.uint64(T)):
        sums[t] = words[one + t] + words[two + t] + table[four + t] + table[five + t]
        if roles == 3:
            sums[t] += words[three + t]
    x = a if ends[0] == 0 else (b if ends[0] == 1 else c)
    y = a if ends[1] == 0 else (b if ends[1] == 1 else c)
    most = rows.size >> 1
    width = T - plain
    height = sets.size // max(1, width * (roles + 1))
    for g in range(len(groups)):
        first, last, source, attribute = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3]
        other = groups[g, 4]
        p = a if source == 0 else (b if source == 1 else c)
        q = a if other == 0 else (b if other == 1 else c)
        total = _set_rows(source, attribute, roles, x, y, p, size, morph_offsets, between, distinct, rows, 0)
        if other < 0:
            for i in range(total):
                left = np.uint64((source * height + rows[i]) * width - plain)
                for t in range(np.uint64(first), np.uint64(last)):
                    out[stop] = np.uint32(finish(sums[t] + sets[left + t], shift))
                    stop += 1
            continue
        others = _set_rows(other, groups[g, 5], roles, x, y, q, size, morph_offsets, between, distinct, rows, most)
        for i in range(total):
            left = np.uint64((source * height + rows[i]) * width - plain)
            for j in range(others):
                right = np.uint64((other * height + rows[most + j]) * width - plain)
                for t in range(np.uint64(first), np.uint64(last)):
                    out[stop] = np.uint32(finish(sums[t] + sets[left + t] + sets[right + t], shift))
                    stop += 1
    return stop


@kernel
def count(tables, sentence, a, b, c, rows, out):
    """Add the number of features of each part to `out` (parts,)."""
    roles, ends = tables.roles, tables.between
    size, offsets, between, distinct = sentence.size, sentence.morph_offsets, sentence.between, sentence.distinct
    groups = tables.groups
    for k in range(len(a)):
        out[k] += tables.plain
        x = a[k] if ends[0] == 0 else (b[k] if ends[0] == 1 else c[k])
        y = a[k] if ends[1] == 0 else (b[k] if ends[1] == 1 else c[k])
        for g in range(len(groups)):
            source, other = groups[g, 2], groups[g, 4]
            p = a[k] if source == 0 else (b[k] if source == 1 else c[k])
            q = a[k] if other == 0 else (b[k] if other == 1 else c[k])
            total = _set_rows(source, groups[g, 3], roles, x, y, p, size, offsets, between, distinct, rows, 0)
            if other >= 0:
                total *= _set_rows(other, groups[g, 5], roles, x, y, q, size, offsets, between, distinct, rows, 0)
            out[k] += total * (groups[g, 1] - groups[g, 0])


@kernel
def extract(tables, sentence, a, b, c, answers, sums, rows, cursor, out):
    """Write the indices of each part's features at `cursor`, and move it on."""
    T, plain, roles, shift, groups, ends = (
        len(tables.keys), tables.plain, tables.roles, tables.shift, tables.groups, tables.between
    )  # fmt: skip
    size, words, sets, offsets, between, distinct = (
        sentence.size, sentence.words, sentence.sets, sentence.morph_offsets, sentence.between, sentence.distinct
    )  # fmt: skip
    table = tables.answers
    for p in range(len(a)):
        cursor[p] = _indices(
            T, plain, roles, shift, groups, ends, table, size, words, sets, offsets, between, distinct,
            a[p], b[p], c[p], answers[0, p], answers[1, p], sums, rows, out, cursor[p],
        )  # fmt: skip


@kernel
def score(tables, sentence, a, b, c, answers, sums, rows, buffer, weights, scores):
    """Write the sum of the weights of each part's features to `scores` (parts,)."""
    T, plain, roles, shift, groups, ends = (
        len(tables.keys), tables.plain, tables.roles, tables.shift, tables.groups, tables.between
    )  # fmt: skip
    size, words, sets, offsets, between, distinct = (
        sentence.size, sentence.words, sentence.sets, sentence.morph_offsets, sentence.between, sentence.distinct
    )  # fmt: skip
    table = tables.answers
    for p in range(len(a)):
        total = _indices(
            T, plain, roles, shift, groups, ends, table, size, words, sets, offsets, between, distinct,
            a[p], b[p], c[p], answers[0, p], answers[1, p], sums, rows, buffer, 0,
        )  # fmt: skip
        value = 0.0
        for i in range(np.uint64(total)):
            value += weights[buffer[i]]
        scores[p] = value


@kernel
def accumulate(
    tables, sentence, a, b, c, answers, sums, rows, buffer, adjoint, smallest, memory, touched, used
):  # fmt: skip
    """Add the adjoint of each part's score to the gradient of its features; return how many are touched."""
    T, plain, roles, shift, groups, ends = (
        len(tables.keys), tables.plain, tables.roles, tables.shift, tables.groups, tables.between
    )  # fmt: skip
    size, words, sets, offsets, between, distinct = (
        sentence.size, sentence.words, sentence.sets, sentence.morph_offsets, sentence.between, sentence.distinct
    )  # fmt: skip
    table = tables.answers
    for p in range(len(a)):
        value = adjoint[p]
        if abs(value) <= smallest:
            continue
        total = _indices(
            T, plain, roles, shift, groups, ends, table, size, words, sets, offsets, between, distinct,
            a[p], b[p], c[p], answers[0, p], answers[1, p], sums, rows, buffer, 0,
        )  # fmt: skip
        for i in range(np.uint64(total)):
            index = buffer[i]
            before = memory[index, np.uint64(0)]
            if before == 0.0:
                touched[used] = index
                used += 1
            memory[index, np.uint64(0)] = before + value
    return used

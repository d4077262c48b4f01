"""The features of parts, from what their words add (`words`): a few additions and one multiplication each.

`_fill` is the one place where features are made; around it stand extraction, scores and gradients.  It is called for
many parts at once and calls nothing but small functions that are inlined: a call with arrays costs as much as
twenty features.

Legend: `T` templates; `a`, `b`, `c` (parts,) the positions of the words of each part, in the order of its block's roles
(`c` is not read with two roles); `answers` (2, parts) rows of the table of answers; `most` features that a part has.
"""

import numpy as np

from autodiff.kernels.compiler import kernel
from nlp.features.kernels.hashing import finish
from nlp.features.kernels.positions import answers as _answers

__all__ = ["accumulate", "count", "extract", "score"]

_CHUNK = 16  # parts at a time: their indices stay in the first cache


@kernel
def _choose(which, a, b, c):
    return a if which == 0 else (b if which == 1 else c)


@kernel
def _set(source, roles, x, y, p, size, morphs, morph_offsets, distinct):
    """Return where the list of a set begins, and its length: of the morphology of `p`, or of words between x and y."""
    if source < roles:
        return np.int64(morph_offsets[p]), np.int64(morph_offsets[p + 1] - morph_offsets[p])
    base = ((source - roles) * size + min(x, y)) * size
    return np.int64(morphs + base), np.int64(distinct[base + max(x, y)])


@kernel
def _fill(tables, sentence, a, b, c, answers, begin, end, cursor, out):
    """Write the indices of the features of parts `begin` to `end` - 1, each from its `cursor` on, and move that."""
    T, plain, roles, shift, table = len(tables.keys), tables.plain, tables.roles, tables.shift, tables.answers
    size, height, words, sets, lists = sentence.size, sentence.height, sentence.words, sentence.sets, sentence.lists
    morphs, offsets, distinct = sentence.morphs, sentence.morph_offsets, sentence.distinct
    groups, ends, width = tables.groups, tables.between, len(tables.keys) - tables.plain
    for part in range(begin, end):
        one, two, three = np.uint64(a[part] * T), np.uint64((size + b[part]) * T), np.uint64((2 * size + c[part]) * T)
        four, five = np.uint64(answers[0, part] * T), np.uint64(answers[1, part] * T)
        start = np.uint64(cursor[part - begin])
        if roles == 3:
            for t in range(np.uint64(plain)):
                total = words[one + t] + words[two + t] + words[three + t] + table[four + t] + table[five + t]
                out[start + t] = np.uint32(finish(total, shift))
        else:
            for t in range(np.uint64(plain)):
                total = words[one + t] + words[two + t] + table[four + t] + table[five + t]
                out[start + t] = np.uint32(finish(total, shift))
        stop = start + np.uint64(plain)
        x, y = _choose(ends[0], a[part], b[part], c[part]), _choose(ends[1], a[part], b[part], c[part])
        for g in range(len(groups)):
            source, other = groups[g, 2], groups[g, 3]
            p, q = _choose(source, a[part], b[part], c[part]), _choose(other, a[part], b[part], c[part])
            left, count = _set(source, roles, x, y, p, size, morphs, offsets, distinct)
            if count == 0:
                continue
            if other >= 0:
                right, others = _set(other, roles, x, y, q, size, morphs, offsets, distinct)
            for t in range(np.uint64(groups[g, 0]), np.uint64(groups[g, 1])):
                known = words[one + t] + words[two + t] + table[four + t] + table[five + t]
                if roles == 3:
                    known += words[three + t]
                column = t - np.uint64(plain)
                for i in range(np.uint64(left), np.uint64(left + count)):
                    value = known + sets[np.uint64((source * height + lists[i]) * width) + column]
                    if other < 0:
                        out[stop] = np.uint32(finish(value, shift))
                        stop += np.uint64(1)
                    else:
                        for j in range(np.uint64(right), np.uint64(right + others)):
                            row = np.uint64((other * height + lists[j]) * width) + column
                            out[stop] = np.uint32(finish(value + sets[row], shift))
                            stop += np.uint64(1)
        cursor[part - begin] = stop


@kernel
def count(tables, sentence, a, b, c, out):
    """Add the number of features of each part to `out` (parts,)."""
    roles, groups, ends = tables.roles, tables.groups, tables.between
    size, morphs, offsets, distinct = sentence.size, sentence.morphs, sentence.morph_offsets, sentence.distinct
    for part in range(len(a)):
        out[part] += tables.plain
        x, y = _choose(ends[0], a[part], b[part], c[part]), _choose(ends[1], a[part], b[part], c[part])
        for g in range(len(groups)):
            total = groups[g, 1] - groups[g, 0]
            for k in (2, 3):
                if groups[g, k] >= 0:
                    p = _choose(groups[g, k], a[part], b[part], c[part])
                    total *= _set(groups[g, k], roles, x, y, p, size, morphs, offsets, distinct)[1]
            out[part] += total


@kernel
def extract(tables, sentence, a, b, c, cursor, out):
    """Write the indices of each part's features at `cursor`, and move it on."""
    answers = _answers(tables.sources, sentence.class_counts, a, b, c)
    _fill(tables, sentence, a, b, c, answers, 0, len(a), cursor, out)


@kernel
def score(tables, sentence, a, b, c, most, weights):
    """Return (parts,): the sum of the weights of each part's features."""
    answers = _answers(tables.sources, sentence.class_counts, a, b, c)
    scores = np.empty(len(a))
    buffer, cursor = np.empty(_CHUNK * most, dtype=np.uint32), np.empty(_CHUNK, dtype=np.int64)
    for begin in range(0, len(a), _CHUNK):
        end = min(begin + _CHUNK, len(a))
        for k in range(_CHUNK):
            cursor[k] = k * most
        _fill(tables, sentence, a, b, c, answers, begin, end, cursor, buffer)
        for k in range(end - begin):
            value = 0.0
            for i in range(np.uint64(k * most), np.uint64(cursor[k])):
                value += weights[buffer[i]]
            scores[begin + k] = value
    return scores


@kernel
def accumulate(tables, sentence, a, b, c, most, adjoint, memory, touched, used):
    """Add the adjoint of each part's score to the gradient of its features; return how many are touched."""
    answers = _answers(tables.sources, sentence.class_counts, a, b, c)
    buffer, cursor = np.empty(_CHUNK * most, dtype=np.uint32), np.empty(_CHUNK, dtype=np.int64)
    for begin in range(0, len(a), _CHUNK):
        end = min(begin + _CHUNK, len(a))
        for k in range(_CHUNK):
            cursor[k] = k * most
        _fill(tables, sentence, a, b, c, answers, begin, end, cursor, buffer)
        for k in range(end - begin):
            value = adjoint[begin + k]
            for i in range(np.uint64(k * most), np.uint64(cursor[k])):
                index = buffer[i]
                before = memory[index, np.uint64(0)]
                if before == 0.0:
                    touched[used] = index
                    used += 1
                memory[index, np.uint64(0)] = before + value
    return used

"""Features of labelled arcs: those of `parts`, each conjoined with every label that its arc may have.

The weights of one feature lie together: labels 0 to 15 of a feature have 16 neighbouring slots (a *line*; as float32 it
is one line of cache), labels 16 to 31 another line, and so on.  `parts` hashes each feature once, to 32 bits; one
multiplication more gives the line.  A score adds whole lines, and reads out of the sums the labels that are wanted: how
many these are hardly matters.

Measured on English (51 relations, 11 of them for an arc, by 40 features): an arc's relations are in 2.6 lines of 16 or
4.4 of 8, and take as long to score with either (0.3 ms for 250 arcs in 2^20 slots, 0.9 ms in 2^22: memory is the limit,
and half a line costs as much as a line).  Numbered such that an arc has fewest lines (2.1), not by frequency, they
would save a fifth of that.

Legend: `starts` (arcs + 1,), `labels` (total,): arc k may have the labels labels[starts[k] : starts[k + 1]]; `shift` is
64 less the bits of the number of a line.  The others are as in `parts`.
"""

import numpy as np

from autodiff.kernels.compiler import kernel
from nlp.features.kernels.parts import _CHUNK, _fill
from nlp.features.kernels.positions import answers as _answers

__all__ = ["above", "accumulate", "extract", "score"]

_LINE_BITS = 4  # as in nlp.features.layout
_LINE = 1 << _LINE_BITS
_BITS, _WIDTH, _MASK = np.uint64(_LINE_BITS), np.uint64(_LINE), np.uint64(_LINE - 1)
_GOLDEN, _ROW = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x85EBCA6B)
_0 = np.uint64(0)


@kernel
def above(values, smallest, starts, labels, a, b, c):
    """Return the values that are greater in size, their starts and labels, and the words of the parts that have any."""
    kept, names = np.empty(len(values)), np.empty_like(labels)
    begins, x, y, z = np.zeros_like(starts), np.empty_like(a), np.empty_like(a), np.empty_like(a)
    parts = total = 0
    for p in range(len(a)):
        before = total
        for i in range(starts[p], starts[p + 1]):
            if abs(values[i]) > smallest:
                kept[total], names[total] = values[i], labels[i]
                total += 1
        if total > before:
            x[parts], y[parts], z[parts] = a[p], b[p], c[p]
            parts += 1
            begins[parts] = total
    return kept[:total], begins[: parts + 1], names[:total], x[:parts], y[:parts], z[:parts]


@kernel
def _line(base, row, shift):
    """Return the first slot of a line: of one feature, and the labels from 16 × row on.

    The number of the row is mixed in before the multiplication, not added after it, so that two features which share
    the line of some labels do not share those of all.
    """
    return (((np.uint64(base) ^ (row * _ROW)) * _GOLDEN) >> shift) << _BITS


@kernel
def score(tables, sentence, a, b, c, most, starts, labels, many, shift, weights, scores):
    """Add to `scores` (total,) the sums of the weights of the features of each arc with each of its labels."""
    answers = _answers(tables.sources, sentence.class_counts, a, b, c)
    buffer, cursor = np.empty(_CHUNK * most, dtype=np.uint32), np.empty(_CHUNK, dtype=np.int64)
    rows = (many + _LINE - 1) >> _LINE_BITS
    sums, done = np.empty(rows * _LINE), np.full(rows, -1)
    for begin in range(0, len(a), _CHUNK):
        end = min(begin + _CHUNK, len(a))
        for k in range(_CHUNK):
            cursor[k] = k * most
        _fill(tables, sentence, a, b, c, answers, begin, end, cursor, buffer)
        for k in range(end - begin):
            arc = begin + k
            first, last = np.uint64(k * most), np.uint64(cursor[k])
            for i in range(starts[arc], starts[arc + 1]):
                label = labels[i]
                row = label >> _LINE_BITS
                if done[row] != arc:
                    done[row] = arc
                    _add_lines(buffer, first, last, np.uint64(row), shift, weights, sums)
                scores[i] += sums[label]


@kernel
def _add_lines(buffer, first, last, row, shift, weights, sums):
    """Let the sums of a row be those of the lines of all features; slices, for they are added in vector registers."""
    out = row << _BITS
    own = sums[out : out + _WIDTH]
    own[:] = 0.0
    for f in range(first, last):
        at = _line(buffer[f], row, shift)
        own += weights[at : at + _WIDTH]


@kernel
def extract(tables, sentence, a, b, c, most, starts, labels, shift, cursors, out):
    """Write the slots of each arc's features with each of its labels at `cursors` (total,), and move these on."""
    answers = _answers(tables.sources, sentence.class_counts, a, b, c)
    buffer, cursor = np.empty(most, dtype=np.uint32), np.empty(1, dtype=np.int64)
    for arc in range(len(a)):
        cursor[0] = 0
        _fill(tables, sentence, a, b, c, answers, arc, arc + 1, cursor, buffer)
        for i in range(starts[arc], starts[arc + 1]):
            label = np.uint64(labels[i])
            for f in range(cursor[0]):
                out[cursors[i]] = np.uint32(_line(buffer[f], label >> _BITS, shift) + (label & _MASK))
                cursors[i] += 1


@kernel
def accumulate(tables, sentence, a, b, c, most, adjoint, starts, labels, shift, memory, touched, used):
    """Add the adjoint of each label's score to the gradient of its features; return how many are touched."""
    answers = _answers(tables.sources, sentence.class_counts, a, b, c)
    buffer, cursor = np.empty(_CHUNK * most, dtype=np.uint32), np.empty(_CHUNK, dtype=np.int64)
    for begin in range(0, len(a), _CHUNK):
        end = min(begin + _CHUNK, len(a))
        for k in range(_CHUNK):
            cursor[k] = k * most
        _fill(tables, sentence, a, b, c, answers, begin, end, cursor, buffer)
        for k in range(end - begin):
            for f in range(np.uint64(k * most), np.uint64(cursor[k])):  # labels inside: they are neighbours
                for i in range(starts[begin + k], starts[begin + k + 1]):
                    label = np.uint64(labels[i])
                    slot = _line(buffer[f], label >> _BITS, shift) + (label & _MASK)
                    before = memory[slot, _0]
                    if before == 0.0:
                        touched[used] = np.uint32(slot)
                        used += 1
                    memory[slot, _0] = before + adjoint[i]
    return used

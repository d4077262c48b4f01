"""What each word of a sentence adds to the hashes of all templates, computed once a sentence (see `layout`)."""

import numpy as np

from autodiff.kernels.compiler import kernel
from nlp.features.kernels.hashing import mix

__all__ = ["are_runs", "are_within", "between", "fill"]

_BEFORE, _AFTER = 2, 3  # as in nlp.features.encoded


@kernel
def are_within(values, largest):
    """Return whether all values (n, m) are from 0 to `largest`."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if values[i, j] < 0 or values[i, j] > largest:
                return False
    return True


@kernel
def are_runs(offsets, values):
    """Return whether the offsets cut all of the values, none of which is negative, into runs."""
    if offsets[0] != 0 or offsets[len(offsets) - 1] != len(values):
        return False
    for i in range(1, len(offsets)):
        if offsets[i] < offsets[i - 1]:
            return False
    return len(values) == 0 or values.min() >= 0


@kernel
def fill(tables, attributes, morph, rows, words, sets):
    """Fill `words` (R, n + 1, T) and `sets` (R + 2, rows, S) of zeros, both flat."""
    roles, templates = tables.roles, len(tables.keys)
    _words(tables, attributes, words.reshape((roles, len(attributes), templates)))
    if rows > 0:
        _sets(tables, attributes, morph, sets.reshape((roles + 2, rows, templates - tables.plain)))


@kernel
def _words(tables, attributes, out):
    """Fill `out` (R, n + 1, T)."""
    n = len(attributes) - 1
    for p in range(n + 1):
        out[0, p, :] = tables.keys
        for r in range(1, tables.roles):
            out[r, p, :] = np.uint64(0)
        for a in range(np.uint64(len(tables.word_keys))):
            q = p + tables.word_atoms[a, 3]
            if q < 0:
                value = _BEFORE
            elif q > n:
                value = _AFTER
            else:
                value = attributes[q, np.uint64(tables.word_atoms[a, 2])]
            role, template = np.uint64(tables.word_atoms[a, 0]), np.uint64(tables.word_atoms[a, 1])
            out[role, p, template] += mix(tables.word_keys[a] + np.uint64(value))


@kernel
def _sets(tables, attributes, morph, out):
    """Fill `out` (R + 2, rows, S) of zeros."""
    for a in range(len(tables.set_keys)):
        source, template, column = tables.set_atoms[a]
        if source < tables.roles:
            for row in range(len(morph)):
                out[source, row, template] += mix(tables.set_keys[a] + np.uint64(morph[row]))
        else:
            for p in range(len(attributes)):
                out[source, p, template] += mix(tables.set_keys[a] + np.uint64(attributes[p, column]))


@kernel
def between(values, largest, out, distinct):
    """Fill the two square arrays of one attribute: for each i, the first words of distinct values after i, and how many
    of them come before j.
    """
    n = len(values) - 1
    seen = np.full(largest + 1, -1)
    for i in range(n):
        count = 0
        for j in range(i + 1, n + 1):
            distinct[i, j] = count
            if seen[values[j]] != i:
                seen[values[j]] = i
                out[i, count] = j
                count += 1

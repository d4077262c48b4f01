"""The integer tables that templates and sentences are compiled to, as the kernels take them.

Legend: `T` templates of a block, first those without sets; `S` those with sets; `R` roles; `n` words.  The source of a
set is a role, for the morphology of its word, or R or R + 1, for the tags or coarse tags between.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ADJACENT", "COUNT", "COUNT_BINS", "DISTANCE_BINS", "LINE", "LINE_BITS", "NO_SET", "PAIR", "SHAPE", "SIDE",
           "BlockTables", "WordTables", "distance_bin"]  # fmt: skip

# Sources of answers that depend on positions: direction and distance, and the others by their names in templates.
PAIR, SHAPE, SIDE, ADJACENT, COUNT = range(5)
NO_SET = -1
COUNT_BINS = 5  # 0, 1, 2, 3, more
_BOUNDS = (*range(1, 11), 11, 21, 31, 41)
DISTANCE_BINS = len(_BOUNDS)
# Weights of one feature for this many labels are neighbours.
LINE_BITS = 4
LINE = 1 << LINE_BITS


def distance_bin(distance: int) -> int:
    """Return the bin of a distance of 1 or more: exact to 10, then above 10, 20, 30 and 40.

    >>> [distance_bin(distance) for distance in (1, 10, 11, 20, 21, 99)]
    [0, 9, 10, 10, 11, 13]
    """
    return sum(distance >= bound for bound in _BOUNDS) - 1


class BlockTables(NamedTuple):
    """The templates of a block: those that look at the same two or three words of a part."""

    keys: NDArray[np.uint64]  # (T,)
    plain: int  # T - S
    roles: int  # R
    shift: np.uint64  # 64 - bits of an index
    word_atoms: NDArray[np.int32]  # (atoms, 4): role, template, attribute, offset
    word_keys: NDArray[np.uint64]
    set_atoms: NDArray[np.int32]  # (atoms, 3): source, template - plain, attribute
    set_keys: NDArray[np.uint64]
    groups: NDArray[np.int32]  # (groups, 4): first and last template, source of a set, and of another or NO_SET
    sources: NDArray[np.int32]  # (sources, 7): which, two roles, class of words, half, first row of it or 0, stride
    answers: NDArray[np.uint64]  # (rows, T), flat: two halves, each with what every combination of answers adds
    between: NDArray[np.int32]  # (2,): roles of the words between which sets and counts look


class WordTables(NamedTuple):
    """What the words of a sentence add to the hashes of a block; the arrays are flat, with the shapes given here."""

    size: int  # n + 1
    height: int  # rows of `sets` for each source
    morphs: int  # the length of all morphological features
    words: NDArray[np.uint64]  # (R, n + 1, T), with the keys of templates in role 0
    sets: NDArray[np.uint64]  # (R + 2, height, S): rows are morphological features, or words
    lists: NDArray[np.int32]  # 0, 1, … for the rows of morphological features, then
    # (2, n + 1, n + 1): for [tag or coarse, i], the first word of each distinct tag after i
    morph_offsets: NDArray[np.int32]  # (n + 2,)
    distinct: NDArray[np.int32]  # (2, n + 1, n + 1): for [tag or coarse, i, j], how many of those are before j
    class_counts: NDArray[np.int32]  # as in `EncodedSentence`

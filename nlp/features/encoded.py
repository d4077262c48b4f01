"""A sentence as integers: all that the kernels see of it."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from nlp.features import kernels
from nlp.features.attributes import ATTRIBUTES

__all__ = ["AFTER", "BEFORE", "FIRST_VALUE", "ROOT", "UNKNOWN", "EncodedSentence"]

# Values of every attribute: of a word that is rare or new, of the root, and of positions outside the sentence.
UNKNOWN, ROOT, BEFORE, AFTER, FIRST_VALUE = range(5)


class Between(NamedTuple):
    """For tags, then for coarse tags: the first word of each distinct one after i, and how many of them are before j.

    Attributes
    ----------
    words : (2, n + 1, n + 1), flat
    distinct : (2, n + 1, n + 1), flat
    most : the greatest of the numbers
    """

    words: NDArray[np.int32]
    distinct: NDArray[np.int32]
    most: int


@frozen(eq=False)
class EncodedSentence:
    """The n words and, at position 0, the root.

    Attributes
    ----------
    attributes : (n + 1, attributes) int32, columns as in `ATTRIBUTES`
    morph_offsets, morph : the word at p has the morphological features morph[morph_offsets[p] : morph_offsets[p + 1]]
    class_counts : (classes, n + 2) int32: how many words before position p are in a class of words
    """

    attributes: NDArray[np.int32]
    morph_offsets: NDArray[np.int32]
    morph: NDArray[np.int32]
    class_counts: NDArray[np.int32]

    @cached_property
    def most_morphs(self) -> int:
        """How many morphological features a word has at most."""
        return int((self.morph_offsets[1:] - self.morph_offsets[:-1]).max())

    @cached_property
    def between(self) -> Between:
        """The tags, and the coarse tags, between any two words."""
        size = len(self.attributes)
        words, distinct = np.zeros((2, size, size), dtype=np.int32), np.zeros((2, size, size), dtype=np.int32)
        for index, name in enumerate(("tag", "coarse")):
            values = self.attributes[:, ATTRIBUTES.index(name)]
            kernels.words.between(values, int(values.max()), words[index], distinct[index])
        return Between(words.ravel(), distinct.ravel(), int(distinct.max()))

    def __len__(self) -> int:
        """Return n, the number of words."""
        return len(self.attributes) - 1

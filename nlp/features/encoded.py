"""A sentence as integers: all that the kernels see of it."""

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

__all__ = ["AFTER", "BEFORE", "FIRST_VALUE", "ROOT", "UNKNOWN", "EncodedSentence"]

# Values of every attribute: of a word that is rare or new, of the root, and of positions outside the sentence.
UNKNOWN, ROOT, BEFORE, AFTER, FIRST_VALUE = range(5)


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

    def __len__(self) -> int:
        """Return n, the number of words."""
        return len(self.attributes) - 1

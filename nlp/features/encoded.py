"""A sentence as integers: all that the kernels see of it."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_integers
from nlp.features import kernels
from nlp.features.attributes import ATTRIBUTES, CLASSES
from nlp.features.errors import FeatureError

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


# Ids beyond are those of no vocabulary; a table with a row for each of them would not fit into memory.
_LARGEST = 1 << 26


def _as_int32(values: ArrayLike) -> NDArray[np.int32]:
    if isinstance(values, np.ndarray) and values.dtype == np.int32 and values.flags.c_contiguous:
        return values if values.flags.writeable else values.copy()
    array = as_integers(values, "an encoded sentence", FeatureError)
    if array.size and (array.min() < 0 or array.max() > np.iinfo(np.int32).max):
        raise FeatureError(f"an encoded sentence has numbers from {array.min()} to {array.max()}; they must fit int32")
    return np.ascontiguousarray(array, dtype=np.int32)


@frozen(eq=False)
class EncodedSentence:
    """The n words and, at position 0, the root.

    Attributes
    ----------
    attributes : (n + 1, attributes) int32, columns as in `ATTRIBUTES`
    morph_offsets, morph : the word at p has the morphological features morph[morph_offsets[p] : morph_offsets[p + 1]]
    class_counts : (classes, n + 2) int32: how many words before position p are in a class of words
    """

    attributes: NDArray[np.int32] = field(converter=_as_int32)
    morph_offsets: NDArray[np.int32] = field(converter=_as_int32)
    morph: NDArray[np.int32] = field(converter=_as_int32)
    class_counts: NDArray[np.int32] = field(converter=_as_int32)

    def __attrs_post_init__(self) -> None:
        shape, offsets, morph = self.attributes.shape, self.morph_offsets, self.morph
        if len(shape) != 2 or shape[0] < 1 or shape[1] != len(ATTRIBUTES):
            raise FeatureError(f"attributes of shape {shape}; expected (n + 1, {len(ATTRIBUTES)})")
        if morph.ndim != 1:
            raise FeatureError(f"morph of shape {morph.shape}; expected a vector")
        if offsets.shape != (shape[0] + 1,):
            raise FeatureError(f"morph_offsets of shape {offsets.shape}; expected {(shape[0] + 1,)}")
        if self.class_counts.shape != (len(CLASSES), shape[0] + 1):
            raise FeatureError(f"class_counts {self.class_counts.shape}; expected {(len(CLASSES), shape[0] + 1)}")
        if not kernels.words.are_within(self.attributes, _LARGEST):
            raise FeatureError(f"attributes from {self.attributes.min()} to {self.attributes.max()}; expected 0 and on")
        if not kernels.words.are_runs(offsets, morph):
            raise FeatureError(
                f"morph_offsets must rise from 0 to {len(morph)}, and morph be 0 and above; not {offsets}, {morph}"
            )

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

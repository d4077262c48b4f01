"""What a dependency analysis is: the head of each word, and its relation to it."""

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from nlp.conll import Sentence, is_projective

__all__ = ["Analysis"]


def _as_heads(given: ArrayLike) -> NDArray[np.int64]:
    heads = np.asarray(given)
    if heads.ndim != 1 or (heads.size and heads.dtype.kind not in "iu"):
        raise ValueError(f"heads are a vector of whole numbers, not {heads.dtype} values of shape {heads.shape}")
    if heads.size and not (heads.min() >= -1 and heads.max() <= len(heads)):
        raise ValueError(f"heads go from {heads.min()} to {heads.max()}; expected -1 (unknown) to {len(heads)}")
    return heads.astype(np.int64)


def _as_relations(given: Sequence[str | None] | None) -> tuple[str | None, ...] | None:
    return None if given is None else tuple(given)


@frozen(eq=False)
class Analysis:
    """A tree, or what is known of one.

    Attributes
    ----------
    heads : (n,) of words 1 … n; 0 is the root, -1 unknown
    relations : (n,) names, None where unknown; None as a whole if there are no relations

    Examples
    --------
    >>> tree = Analysis([2, 3, 0], ["det", "nsubj", "root"])
    >>> tree.is_complete, tree.roots, tree.is_projective
    (True, 1, True)
    """

    heads: NDArray[np.int64] = field(converter=_as_heads)
    relations: tuple[str | None, ...] | None = field(default=None, converter=_as_relations)

    def __attrs_post_init__(self) -> None:
        if self.relations is not None and len(self.relations) != len(self.heads):
            raise ValueError(f"heads of {len(self.heads)} words with {len(self.relations)} relations")

    @classmethod
    def of(cls, sentence: Sentence) -> "Analysis":
        """Return the tree of a sentence; a relation `_` is unknown."""
        return cls(sentence.heads, [None if name == "_" else name for name in sentence.relations])

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def is_complete(self) -> bool:
        """Whether all heads are known."""
        return bool((self.heads >= 0).all())

    @property
    def roots(self) -> int:
        """The number of words under the root."""
        return int((self.heads == 0).sum())

    @property
    def is_projective(self) -> bool:
        """Whether no arc of the (complete) tree is non-projective."""
        return is_projective(self.heads)

    def on(self, sentence: Sentence) -> Sentence:
        """Return the sentence with these heads, and these relations (`_` where there are none)."""
        names = self.relations or (None,) * len(self)
        return sentence.with_heads(self.heads, [name or "_" for name in names])

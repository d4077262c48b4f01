"""The longest dependency seen for each pair of tags and direction (Eisner & Smith 2005)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from nlp.conll import Sentence

__all__ = ["LengthBounds"]

_ROOT = "<root>"


@frozen(eq=False)
class LengthBounds:
    """bounds[head tag, modifier tag, direction]: 0 for modifiers to the left, 1 to the right.

    Arcs from the root have no bound on their length, only on the modifier's tag; a tag that training has not seen has
    none.

    Examples
    --------
    >>> tree = Sentence.from_words(["a", "b", "c"], tags=["D", "N", "V"], heads=[2, 3, 0])
    >>> LengthBounds.fit([tree]).allowed(tree).astype(int).tolist()
    [[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    """

    tags: dict[str, int] = field(repr=False)
    bounds: NDArray[np.int32] = field(repr=False)

    @classmethod
    def fit(cls, sentences: Iterable[Sentence]) -> "LengthBounds":
        """Take the maxima over training trees."""
        sentences = list(sentences)
        tags = {_ROOT: 0}
        for sentence in sentences:
            for tag in sentence.tags:
                tags.setdefault(tag, len(tags))
        bounds = np.zeros((len(tags), len(tags), 2), dtype=np.int32)
        for sentence in sentences:
            numbers = np.array([0, *(tags[tag] for tag in sentence.tags)])
            modifiers = np.arange(1, len(numbers))
            heads = np.asarray(sentence.heads)
            length = np.where(heads == 0, 1, np.abs(heads - modifiers))
            at = (numbers[heads], numbers[modifiers], (modifiers > heads).astype(np.int64))
            np.maximum.at(bounds, at, length)
        return cls(tags, bounds)

    def allowed(self, sentence: Sentence) -> NDArray[np.bool_]:
        """Return (n + 1, n + 1): which arcs h → m are within their bounds."""
        numbers = np.array([0, *(self.tags.get(tag, -1) for tag in sentence.tags)])
        places = np.arange(len(numbers))
        length = np.abs(places[:, None] - places)
        length[0] = 1
        direction = (places[None, :] > places[:, None]).astype(np.int64)
        mask = length <= self.bounds[numbers[:, None], numbers[None, :], direction]
        new = numbers < 0
        mask[new, :] = True
        mask[:, new] = True
        mask[:, 0] = False
        np.fill_diagonal(mask, False)
        return mask

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return arrays for a model file."""
        text = "\n".join(self.tags).encode()
        return {"tags": np.frombuffer(text, dtype=np.uint8).copy(), "bounds": self.bounds}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> "LengthBounds":
        """Undo `to_arrays`; a ValueError says what is wrong with arrays that it did not return."""
        try:
            names = bytes(np.asarray(arrays["tags"], dtype=np.uint8)).decode().split("\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"length bounds: the tags are not UTF-8 ({error.reason})") from None
        bounds = np.asarray(arrays["bounds"], dtype=np.int32)
        if len({*names}) != len(names) or bounds.shape != (len(names), len(names), 2) or names[0] != _ROOT:
            raise ValueError(f"length bounds: {len(names)} tags, and bounds of shape {bounds.shape}")
        return cls({tag: number for number, tag in enumerate(names)}, bounds)

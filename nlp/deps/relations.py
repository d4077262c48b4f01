"""Which relations an arc may have, by the coarse tags of its words, and how relations are numbered."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Integers
from autodiff.conversion import as_count, as_integers
from nlp.conll import Sentence

__all__ = ["RelationTable", "label_places"]

_ROOT = "<root>"
_MISSING = "_"


@frozen(eq=False)
class RelationTable:
    """The relations of training trees, and for each pair of coarse tags those that its arcs may have.

    An arc may have the relations that training has seen with the tags of its two words.  If these have met fewer than
    `minimum_count` times it may have all relations of words with the modifier's tag; if that tag is new, any relation.
    The root has a tag of its own.

    Legend: `T` tags, with that of the root as number 0, and T for tags that are new.

    Attributes
    ----------
    names : the relations, the most frequent first; `_` alone if there were no words
    tags : numbers of coarse tags
    sets : (T + 1, T + 1) the set of relations of a pair of tags, head and modifier
    starts, members : set k is members[starts[k] : starts[k + 1]], in ascending order

    Examples
    --------
    >>> tree = Sentence.from_words(["a", "cat", "saw", "me"], tags=["D", "N", "V", "N"], heads=[2, 3, 0, 3],
    ...                            relations=["det", "subj", "root", "obj"])
    >>> table = RelationTable.fit([tree] * 5)
    >>> table.names
    ('det', 'obj', 'root', 'subj')
    >>> starts, labels = table.allowed(tree, [2, 3, 0], [1, 2, 3])
    >>> [[table.names[label] for label in labels[a:b]] for a, b in zip(starts[:-1], starts[1:])]
    [['det'], ['obj', 'subj'], ['root']]
    """

    names: tuple[str, ...]
    tags: Mapping[str, int] = field(repr=False)
    sets: NDArray[np.int32] = field(repr=False)
    starts: Integers = field(repr=False)
    members: Integers = field(repr=False)

    @classmethod
    def fit(cls, sentences: Iterable[Sentence], *, minimum_count: int = 5) -> "RelationTable":
        """Take the relations of all words that have a head.

        `_` is a relation like others (in some treebanks it is the most frequent one), also where it is the only one.
        """
        minimum_count = as_count(minimum_count, "minimum_count", ValueError)
        pairs: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        modifiers: dict[str, Counter[str]] = defaultdict(Counter)
        tags = {_ROOT: 0}
        for sentence in sentences:
            words = (_ROOT, *sentence.coarse_tags)
            for tag in sentence.coarse_tags:
                tags.setdefault(tag, len(tags))
            for tag, head, relation in zip(words[1:], sentence.heads.tolist(), sentence.relations, strict=True):
                if head >= 0:
                    pairs[words[head], tag][relation] += 1
                    modifiers[tag][relation] += 1
        counts: Counter[str] = sum(modifiers.values(), Counter())
        names = tuple(sorted(counts, key=lambda name: (-counts[name], name))) or (_MISSING,)
        number = {name: k for k, name in enumerate(names)}
        known: dict[tuple[int, ...], int] = {tuple(range(len(names))): 0}

        def set_of(relations: Iterable[str]) -> int:
            return known.setdefault(tuple(sorted(number[name] for name in relations)), len(known))

        sets = np.zeros((len(tags) + 1, len(tags) + 1), dtype=np.int32)
        for tag, relations in modifiers.items():
            sets[:, tags[tag]] = set_of(relations)
        for (head, tag), relations in pairs.items():
            if relations.total() >= minimum_count:
                sets[tags[head], tags[tag]] = set_of(relations)
        starts = np.cumsum([0, *map(len, known)])
        return cls(names, tags, sets, starts, np.array([label for found in known for label in found], dtype=np.int64))

    def __len__(self) -> int:
        """Return the number of relations."""
        return len(self.names)

    def numbers(self, relations: Sequence[str]) -> Integers:
        """Return the number of each relation, -1 for those that training has not seen."""
        known = self._known
        return np.array([known.get(name, -1) for name in relations], dtype=np.int64)

    def allowed(self, sentence: Sentence, heads: ArrayLike, modifiers: ArrayLike) -> tuple[Integers, Integers]:
        """Return which relations arcs may have: labels[starts[k] : starts[k + 1]] for arc k, in ascending order.

        Parameters
        ----------
        heads, modifiers : (arcs,) positions; 0 is the root

        Raises
        ------
        ValueError
            If these are no arcs of the sentence.
        """
        above, below = self._positions("heads", heads, sentence), self._positions("modifiers", modifiers, sentence)
        if above.shape != below.shape:
            raise ValueError(f"heads {above.shape} and modifiers {below.shape}; expected as many of the ones as others")
        tags = self.tags
        words = np.array([0, *(tags.get(tag, len(tags)) for tag in sentence.coarse_tags)])
        found = self.sets[words[above], words[below]]
        counts = self._sizes[found]
        starts = np.zeros(len(found) + 1, dtype=np.int64)
        np.cumsum(counts, out=starts[1:])
        places = np.arange(starts[-1]) + np.repeat(self.starts[found] - starts[:-1], counts)
        return starts, self.members[places]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return arrays for a model file."""
        return {
            "names": _to_bytes(self.names),
            "tags": _to_bytes(self.tags),
            "sets": self.sets,
            "starts": self.starts,
            "members": self.members,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "RelationTable":
        """Undo `to_arrays`; a ValueError says what is wrong with arrays that it did not return."""
        missing = {"names", "tags", "sets", "starts", "members"} - set(arrays)
        if missing:
            raise ValueError(f"relations: {sorted(missing)} is missing; pass all that to_arrays() returned")
        names, tags = _from_bytes(arrays["names"], "names"), _from_bytes(arrays["tags"], "tags")
        sets, starts, members = (
            as_integers(arrays[name], f"relations: {name}", ValueError) for name in ("sets", "starts", "members")
        )
        if not tags or tags[0] != _ROOT or sets.shape != (len(tags) + 1, len(tags) + 1):
            raise ValueError(f"relations: {len(tags)} tags and sets of shape {sets.shape}; expected one more each way")
        sizes = np.diff(starts) if starts.ndim == 1 else np.zeros(0)
        if members.ndim != 1 or not len(sizes) or starts[0] != 0 or starts[-1] != len(members) or sizes.min() < 1:
            raise ValueError(
                f"relations: starts {starts} and {len(members)} members; expected sets, none of them empty"
            )
        if sets.min() < 0 or sets.max() >= len(sizes):
            raise ValueError(f"relations: sets from {sets.min()} to {sets.max()}, and there are {len(sizes)} of them")
        rising = np.diff(members) > 0
        rising[starts[1:-1] - 1] = True
        if not rising.all() or members.min() < 0 or members.max() >= len(names):
            raise ValueError(f"relations: members must rise in each set, from 0 to {len(names) - 1}")
        numbers = {tag: number for number, tag in enumerate(tags)}
        return cls(tuple(names), numbers, sets.astype(np.int32), starts, members)

    @cached_property
    def _known(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _sizes(self) -> Integers:
        return np.diff(self.starts)

    def _positions(self, what: str, given: ArrayLike, sentence: Sentence) -> Integers:
        positions = as_integers(given, what, ValueError)
        if positions.ndim != 1:
            raise ValueError(f"{what} of shape {positions.shape}; expected a vector")
        if len(positions) and not (positions.min() >= 0 and positions.max() <= len(sentence)):
            raise ValueError(f"{what} go from {positions.min()} to {positions.max()}; expected 0 to {len(sentence)}")
        return positions


def label_places(starts: Integers, labels: Integers, wanted: Integers) -> Integers:
    """Return for each arc k which of labels[starts[k] : starts[k + 1]] is `wanted[k]`, as an index in `labels`, or -1.

    >>> label_places(np.array([0, 2, 3]), np.array([4, 7, 4]), np.array([7, 5])).tolist()
    [1, -1]
    """
    found = np.flatnonzero(labels == np.repeat(wanted, np.diff(starts)))
    places = np.full(len(wanted), -1, dtype=np.int64)
    places[np.searchsorted(starts, found, side="right") - 1] = found
    return places


def _to_bytes(texts: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(texts).encode(), dtype=np.uint8).copy()


def _from_bytes(given: NDArray[Any], what: str) -> list[str]:
    letters = as_integers(given, f"relations: {what}", ValueError)
    if letters.ndim != 1 or (letters.size and not (letters.min() >= 0 and letters.max() < 256)):
        raise ValueError(f"relations: the {what} are no bytes")
    try:
        texts = bytes(letters.astype(np.uint8)).decode().split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"relations: the {what} are not UTF-8 ({error.reason})") from None
    if len({*texts}) != len(texts) or not all(texts):
        raise ValueError(f"relations: the {what} are no different texts: {str(texts)[:80]}")
    return texts

"""The vocabulary: which integer stands for which value of which attribute."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from autodiff.conversion import as_count, as_integers
from nlp.features.attributes import ATTRIBUTES, CLASSES, FORM_ATTRIBUTES, frequency_class
from nlp.features.encoded import FIRST_VALUE, ROOT, UNKNOWN, EncodedSentence
from nlp.features.errors import FeatureError
from nlp.features.protocol import TaggedSentence
from nlp.features.vocabulary_check import check_vocabulary
from nlp.features.word_classes import word_classes

__all__ = ["Vocabulary"]

_COLUMNS = {"lemma": "lemmas", "tag": "tags", "coarse": "coarse_tags"}
_ALWAYS_KEPT = ("tag", "coarse", "frequency", "morph")
_MOST_REMEMBERED = 1 << 18
_DROPPED = [ATTRIBUTES.index(name) for name in ("form", "lower", "lemma", "prefix2", "prefix3", "frequency")]


@frozen(eq=False)
class Vocabulary:
    """Turns sentences into integers.

    Values that training has not seen, or fewer than `minimum_count` times (tags and morphological features excepted),
    are UNKNOWN; prefixes, suffixes and shape still tell something of such a word.

    Attributes
    ----------
    tables : for each attribute, its values; the k-th has the integer FIRST_VALUE + k
    counts : for each form of the table, how often training had it
    classes : see `word_classes`
    absent : attributes that the training data does not have: columns that say nothing, coarse tags equal to the tags

    Examples
    --------
    >>> from nlp.conll import Sentence
    >>> tree = Sentence.from_words(["Time", "flies"], tags=["NN", "VBZ"], heads=[2, 0])
    >>> vocabulary = Vocabulary.fit([tree], minimum_count=1)
    >>> sorted(vocabulary.absent)
    ['coarse', 'lemma', 'morph']
    >>> encoded = vocabulary.encode(tree)
    >>> encoded.attributes[:, ATTRIBUTES.index("tag")].tolist()       # of the root and the two words
    [1, 4, 5]
    """

    tables: Mapping[str, Sequence[str]]
    counts: Sequence[int]
    classes: Mapping[str, tuple[str, frozenset[str]]]
    absent: frozenset[str]
    _ids: dict[str, dict[str, int]] = field(init=False, repr=False)
    _rows: dict[str, bytes] = field(init=False, repr=False, factory=dict)
    _morphs: dict[str, tuple[int, ...]] = field(init=False, repr=False, factory=dict)

    @_ids.default
    def _make_ids(self) -> dict[str, dict[str, int]]:
        return {
            name: {value: FIRST_VALUE + k for k, value in enumerate(values)} for name, values in self.tables.items()
        }

    @cached_property
    def _form_counts(self) -> NDArray[np.float64]:
        """How often training had the form of each integer: at least once if UNKNOWN; the root is never forgotten."""
        counts = np.concatenate([np.full(FIRST_VALUE, np.inf), np.asarray(self.counts, dtype=np.float64)])
        counts[UNKNOWN] = 1.0
        return counts

    @classmethod
    def fit(cls, sentences: Sequence[TaggedSentence], *, minimum_count: int = 2) -> "Vocabulary":
        """Return the vocabulary of training sentences.

        Raises
        ------
        FeatureError
            If there is no word in them.
        """
        minimum_count = as_count(minimum_count, "minimum_count", FeatureError)
        counters: dict[str, Counter[str]] = {name: Counter() for name in (*ATTRIBUTES, "morph")}
        for sentence in sentences:
            counters["form"].update(sentence.forms)
            for name, column in _COLUMNS.items():
                counters[name].update(getattr(sentence, column))
            for feats in sentence.feats:
                counters["morph"].update(_split(feats))
        if not counters["form"]:
            raise FeatureError("a vocabulary needs training sentences with words, and there is none")
        for form, count in counters["form"].items():
            for name, function in FORM_ATTRIBUTES.items():
                if name != "form":
                    counters[name][function(form)] += count
        counters["frequency"].update({frequency_class(count): count for count in (1 << k for k in range(9))})
        absent = {name for name in (*_COLUMNS, "morph") if not set(counters[name]) - {"_"}}
        if all(sentence.coarse_tags == sentence.tags for sentence in sentences):
            absent.add("coarse")
        tables = {
            name: sorted(
                (value for value, count in counter.items() if name in _ALWAYS_KEPT or count >= minimum_count),
                key=lambda value, counter=counter: (-counter[value], value),  # type: ignore[misc]
            )
            for name, counter in counters.items()
        }
        counts = [counters["form"][form] for form in tables["form"]]
        return cls(tables, counts, word_classes(sentences), frozenset(absent))

    def encode(self, sentence: TaggedSentence) -> EncodedSentence:
        """Return the sentence as integers."""
        n = len(sentence.forms)
        attributes = np.full((n + 1, len(ATTRIBUTES)), ROOT, dtype=np.int32)
        width = len(FORM_ATTRIBUTES) + 1
        remembered = self._rows
        if n:
            rows = b"".join([remembered.get(form) or self._form_row(form) for form in sentence.forms])
            attributes[1:, :width] = np.frombuffer(rows, dtype=np.int32).reshape(n, width)
            for index, (name, column) in enumerate(_COLUMNS.items(), start=width):
                ids = self._ids[name]
                attributes[1:, index] = [ids.get(value, UNKNOWN) for value in getattr(sentence, column)]
        known = self._morphs
        morphs = [known[feats] if feats in known else self._morph_ids(feats) for feats in sentence.feats]
        offsets = np.array([0, 0, *accumulate(map(len, morphs))], dtype=np.int32)
        counts = np.zeros((len(CLASSES), n + 2), dtype=np.int32)
        for index, name in enumerate(CLASSES):
            column, members = self.classes[name]
            counts[index, 2:] = list(accumulate(value in members for value in getattr(sentence, _COLUMNS[column])))
        morph = np.array([value for ids in morphs for value in ids], dtype=np.int32)
        return EncodedSentence(attributes, offsets, morph, counts)

    def drop_words(self, sentence: EncodedSentence, weight: float, rng: np.random.Generator) -> EncodedSentence:
        """Return a sentence of which words are unknown at random: with c of them in training, by weight / (weight + c).

        What is left of such a word is its suffixes and shape, its tags and its morphology, as if it were new.
        """
        counts = self._form_counts[sentence.attributes[:, ATTRIBUTES.index("form")]]
        lost = np.flatnonzero(rng.random(len(counts)) * (weight + counts) < weight)
        attributes = sentence.attributes.copy()
        attributes[lost[:, None], _DROPPED] = UNKNOWN
        return evolve(sentence, attributes=attributes)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the vocabulary as arrays, for a model file: the texts as UTF-8 bytes, in JSON.

        >>> from nlp.conll import Sentence
        >>> tree = Sentence.from_words(["Time", "flies"], tags=["NN", "VBZ"], heads=[2, 0])
        >>> vocabulary = Vocabulary.fit([tree], minimum_count=1)
        >>> Vocabulary.from_arrays(vocabulary.to_arrays()).tables == vocabulary.tables
        True
        """
        description = {
            "tables": {name: list(values) for name, values in self.tables.items()},
            "classes": {name: [column, sorted(tags)] for name, (column, tags) in self.classes.items()},
            "absent": sorted(self.absent),
        }
        text = json.dumps(description, ensure_ascii=False, separators=(",", ":"))
        return {
            "vocabulary": np.frombuffer(text.encode(errors="surrogatepass"), dtype=np.uint8).copy(),
            "counts": np.array(self.counts, dtype=np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Vocabulary":
        """Return the vocabulary that `to_arrays` described.

        Raises
        ------
        FeatureError
            If the arrays are not such as `to_arrays` returns.
        """
        missing = {"vocabulary", "counts"} - set(arrays)
        if missing:
            raise FeatureError(f"no vocabulary: {sorted(missing)} is missing; pass all that to_arrays() returned")
        try:
            letters = as_integers(arrays["vocabulary"], "the bytes of a vocabulary", FeatureError)
            text = bytes(letters.astype(np.uint8)).decode(errors="surrogatepass")
            description = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FeatureError(f"no vocabulary: its text is no JSON ({error})") from None
        counts = np.asarray(arrays["counts"])
        check_vocabulary(description, counts)
        classes = {name: (column, frozenset(tags)) for name, (column, tags) in description["classes"].items()}
        return cls(description["tables"], counts.tolist(), classes, frozenset(description["absent"]))

    def _form_row(self, form: str) -> bytes:
        """Return the integers (int32) of all attributes that come from the form, and remember them."""
        ids = self._ids
        known = ids["form"].get(form)
        count = 0 if known is None else self.counts[known - FIRST_VALUE]
        values = [ids[name].get(function(form), UNKNOWN) for name, function in FORM_ATTRIBUTES.items()]
        row = np.array([*values, ids["frequency"].get(frequency_class(count), UNKNOWN)], dtype=np.int32).tobytes()
        if len(self._rows) >= _MOST_REMEMBERED:
            self._rows.clear()
        self._rows[form] = row
        return row

    def _morph_ids(self, feats: str) -> tuple[int, ...]:
        table = self._ids["morph"]
        found = tuple(dict.fromkeys(table.get(feature, UNKNOWN) for feature in _split(feats)))
        if len(self._morphs) >= _MOST_REMEMBERED:
            self._morphs.clear()
        self._morphs[feats] = found
        return found


def _split(feats: str) -> tuple[str, ...]:
    return () if feats == "_" else tuple(feats.split("|"))

"""Two annotations of the same words, as arrays over all words."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Booleans, Integers
from nlp.conll import Sentence
from nlp.conll.tree_check import find_cycle
from nlp.evaluation.errors import EvaluationError
from nlp.evaluation.punctuation import is_punctuation
from nlp.evaluation.universal import without_subtype

__all__ = ["Alignment"]


@frozen(eq=False)
class Alignment:
    """All words of a treebank with gold and predicted heads: W words, S sentences.

    Attributes
    ----------
    sentence, position : (W,) sentence from 0, and word in it from 1
    gold, predicted : (W,) heads
    gold_relations, predicted_relations : W strings each
    punctuation : (W,) whether the word is left out by the rule of CoNLL-X
    lengths : (S,) numbers of words
    cyclic : sentences whose predicted heads are no tree
    """

    sentence: Integers = field(repr=False)
    position: Integers = field(repr=False)
    gold: Integers = field(repr=False)
    predicted: Integers = field(repr=False)
    gold_relations: Sequence[str] = field(repr=False)
    predicted_relations: Sequence[str] = field(repr=False)
    punctuation: Booleans = field(repr=False)
    lengths: Integers = field(repr=False)
    cyclic: int

    @classmethod
    def of(cls, gold: Iterable[Sentence], predicted: Iterable[Sentence], *, subtypes: bool = True) -> "Alignment":
        """Align two treebanks, read side by side; without `subtypes`, relations are cut off at a colon.

        Raises
        ------
        EvaluationError
            If they have not the same words, or a word has no head.
        """
        pairs: list[tuple[Sentence, Sentence]] = []
        cyclic = 0
        for number, (one, other) in enumerate(zip_longest(gold, predicted), start=1):
            if one is None or other is None:
                last, there, longer = (one, "predicted", "gold") if other is None else (other, "gold", "predicted")
                what = f"the {longer} treebank has a sentence {number}, the {there} one has only {number - 1}"
                raise EvaluationError(f"{_where(last, 0)}: {what}; expected the same sentences")
            _check(number, one, other)
            cyclic += bool(find_cycle(other.heads.tolist()))
            pairs.append((one, other))
        if not pairs:
            raise EvaluationError("there are no sentences to evaluate; expected at least one")
        lengths = np.array([len(one) for one, _ in pairs])
        golds, others = ([name for words in side for name in words.relations] for side in zip(*pairs, strict=True))
        if not subtypes:
            golds, others = [*map(without_subtype, golds)], [*map(without_subtype, others)]
        return cls(
            sentence=np.repeat(np.arange(len(pairs)), lengths),
            position=np.concatenate([np.arange(1, n + 1) for n in lengths]),
            gold=np.concatenate([one.heads for one, _ in pairs]),
            predicted=np.concatenate([other.heads for _, other in pairs]),
            gold_relations=golds,
            predicted_relations=others,
            punctuation=np.array([is_punctuation(form) for one, _ in pairs for form in one.forms], dtype=bool),
            lengths=lengths,
            cyclic=cyclic,
        )

    @property
    def attached(self) -> Booleans:
        """(W,) whether the head is right."""
        return np.equal(self.gold, self.predicted)

    @property
    def is_labelled(self) -> bool:
        """Whether both have relations."""
        return all(any(x != "_" for x in column) for column in (self.gold_relations, self.predicted_relations))

    @property
    def labelled(self) -> Booleans:
        """(W,) whether head and relation are right."""
        same = [x == y for x, y in zip(self.gold_relations, self.predicted_relations, strict=True)]
        return self.attached & np.array(same, dtype=bool)


def _check(number: int, gold: Sentence, predicted: Sentence) -> None:
    """Make sure that two sentences have the same words, all with heads."""
    for word, (form, other) in enumerate(zip(gold.forms, predicted.forms, strict=False)):
        if form != other:
            what = f"word {word + 1} of sentence {number} is {other!r}"
            raise EvaluationError(f"{_where(predicted, word)}: {what}; expected {form!r} as in {_where(gold, word)}")
    if len(gold) != len(predicted):
        what = f"sentence {number} has {len(predicted)} words"
        raise EvaluationError(f"{_where(predicted, 0)}: {what}; expected {len(gold)} as in {_where(gold, 0)}")
    for sentence in (gold, predicted):
        if not sentence.has_heads:
            word = int(np.argmin(sentence.heads))
            what = f"word {word + 1} of sentence {number} has no head"
            raise EvaluationError(f"{_where(sentence, word)}: {what}; expected one to evaluate")


def _where(sentence: Sentence, word: int) -> str:
    return f"{sentence.source or '<memory>'}:{sentence.line + sentence.word_lines[word]}"

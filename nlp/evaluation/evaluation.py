"""How good predicted trees are: attachment scores, and where they are won and lost."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from attrs import frozen

from nlp.conll import Sentence
from nlp.evaluation.alignment import Alignment, Booleans, Integers
from nlp.evaluation.table import table

__all__ = ["Evaluation", "LengthScore", "RelationScore", "Score", "evaluate"]

_LENGTHS = ("to root", "1", "2", "3-6", "7 and more")  # the bins of the CoNLL-X shared task


@frozen
class Score:
    """Attachment over some words: how many there are, and for how many the head (and the relation) is right.

    Examples
    --------
    >>> Score(words=8, attached=6, labelled=None).uas
    75.0
    """

    words: int
    attached: int
    labelled: int | None

    @property
    def uas(self) -> float:
        """Unlabelled attachment score, in per cent; NaN without words."""
        return _percent(self.attached, self.words)

    @property
    def las(self) -> float | None:
        """Labelled attachment score, in per cent; None without relations."""
        return None if self.labelled is None else _percent(self.labelled, self.words)


@frozen
class LengthScore:
    """Arcs of some length: how many gold has, how many were predicted, how many of them are the same."""

    gold: int
    predicted: int
    correct: int

    @property
    def recall(self) -> float:
        """The share of gold arcs that were predicted, in per cent."""
        return _percent(self.correct, self.gold)

    @property
    def precision(self) -> float:
        """The share of predicted arcs that are gold, in per cent."""
        return _percent(self.correct, self.predicted)


@frozen
class RelationScore(Score):
    """Attachment of words with some gold relation, and how often that was predicted."""

    predicted: int


@frozen
class Evaluation:
    """The scores of predicted trees; all shares are in per cent.

    Attributes
    ----------
    everything, without_punctuation : scores over all words, and over those that have a character that is no punctuation
    sentences : how many
    exact : sentences of which all heads are right
    roots : sentences of which the root (or the set of roots) is right
    cyclic : sentences whose predicted heads are no tree
    by_length : scores of arcs by the distance between head and word, over all words
    by_relation : scores by gold relation, most frequent first, over all words; empty without relations
    """

    everything: Score
    without_punctuation: Score
    sentences: int
    exact: int
    roots: int
    cyclic: int
    by_length: dict[str, LengthScore]
    by_relation: dict[str, RelationScore]

    @property
    def uas(self) -> float:
        """Unlabelled attachment score over all words."""
        return self.everything.uas

    @property
    def las(self) -> float | None:
        """Labelled attachment score over all words; None without relations."""
        return self.everything.las

    @property
    def uas_without_punctuation(self) -> float:
        """Unlabelled attachment score as in CoNLL-X."""
        return self.without_punctuation.uas

    @property
    def las_without_punctuation(self) -> float | None:
        """Labelled attachment score as in CoNLL-X; None without relations."""
        return self.without_punctuation.las

    @property
    def exact_match(self) -> float:
        """The share of sentences of which all heads are right."""
        return _percent(self.exact, self.sentences)

    @property
    def root_accuracy(self) -> float:
        """The share of sentences of which the roots are right."""
        return _percent(self.roots, self.sentences)

    def __str__(self) -> str:
        return table(self)


def evaluate(gold: Iterable[Sentence], predicted: Iterable[Sentence]) -> Evaluation:
    """Compare predicted heads (and relations, where both have some) with gold ones.

    Raises
    ------
    EvaluationError
        If the sentences have not the same words, or a word has no head.

    Examples
    --------
    >>> sentence = Sentence.from_words(["Go", "home", "!"], heads=[0, 1, 1])
    >>> evaluation = evaluate([sentence], [sentence.with_heads([0, 1, 2])])
    >>> round(evaluation.uas, 2), evaluation.uas_without_punctuation, evaluation.las, evaluation.exact_match
    (66.67, 100.0, None, 0.0)
    """
    return evaluate_alignment(Alignment.of(gold, predicted))


def evaluate_alignment(words: Alignment) -> Evaluation:
    """Return the evaluation of treebanks that are already aligned."""
    attached = words.attached
    labelled = words.labelled if words.is_labelled else None
    wrong_roots = words.sentence[(words.gold == 0) != (words.predicted == 0)]
    return Evaluation(
        everything=_score(attached, labelled, np.ones_like(attached)),
        without_punctuation=_score(attached, labelled, ~words.punctuation),
        sentences=len(words.lengths),
        exact=len(words.lengths) - len(np.unique(words.sentence[~attached])),
        roots=len(words.lengths) - len(np.unique(wrong_roots)),
        cyclic=words.cyclic,
        by_length=_by_length(words, attached),
        by_relation={} if labelled is None else _by_relation(words, attached, labelled),
    )


def _score(attached: Booleans, labelled: Booleans | None, chosen: Booleans) -> Score:
    right = None if labelled is None else int((labelled & chosen).sum())
    return Score(int(chosen.sum()), int((attached & chosen).sum()), right)


def _by_length(words: Alignment, attached: Booleans) -> dict[str, LengthScore]:
    def bins(heads: Integers) -> Integers:
        distance = np.abs(heads - words.position)
        return np.where(heads == 0, 0, np.digitize(distance, [1, 2, 3, 7]))

    def count(which: Integers) -> list[int]:
        counts: list[int] = np.bincount(which, minlength=len(_LENGTHS)).tolist()
        return counts

    gold, predicted = bins(words.gold), bins(words.predicted)
    counts = zip(count(gold), count(predicted), count(gold[attached]), strict=True)
    return {name: LengthScore(*row) for name, row in zip(_LENGTHS, counts, strict=True)}


def _by_relation(words: Alignment, attached: Booleans, labelled: Booleans) -> dict[str, RelationScore]:
    gold, predicted = Counter(words.gold_relations), Counter(words.predicted_relations)
    heads = Counter(name for name, right in zip(words.gold_relations, attached.tolist(), strict=True) if right)
    both = Counter(name for name, right in zip(words.gold_relations, labelled.tolist(), strict=True) if right)
    names = sorted(gold, key=lambda name: (-gold[name], name))
    return {name: RelationScore(gold[name], heads[name], both[name], predicted[name]) for name in names}


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else float("nan")

"""How good predicted trees are: attachment scores, and where they are won and lost."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from attrs import frozen

from autodiff.array_types import Booleans, Integers
from nlp.conll import Sentence
from nlp.evaluation.alignment import Alignment
from nlp.evaluation.scores import ArcScore, RelationScore, Score, percent
from nlp.evaluation.table import table
from nlp.evaluation.universal import are_universal, is_content

__all__ = ["Evaluation", "evaluate"]

_LENGTHS = ("to root", "1", "2", "3-6", "7 and more")  # the bins of the CoNLL-X shared task


@frozen
class Evaluation:
    """The scores of predicted trees; all shares are in per cent.

    Attributes
    ----------
    everything, without_punctuation : scores over all words, and over those that have a character that is no punctuation
    sentences : how many
    exact : sentences of which all heads are right
    labelled_exact : sentences of which all heads and relations are right; None without relations
    roots : sentences of which the root (or the set of roots) is right
    cyclic : sentences whose predicted heads are no tree
    by_length : scores of arcs by the distance between head and word, over all words
    by_relation : scores by relation, the most frequent of gold first, over all words; empty without relations
    content : scores of the arcs of content words; None if the gold relations are not those of Universal Dependencies
    """

    everything: Score
    without_punctuation: Score
    sentences: int
    exact: int
    labelled_exact: int | None
    roots: int
    cyclic: int
    by_length: dict[str, ArcScore]
    by_relation: dict[str, RelationScore]
    content: ArcScore | None

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
        return percent(self.exact, self.sentences)

    @property
    def labelled_exact_match(self) -> float | None:
        """The share of sentences of which all heads and relations are right; None without relations."""
        return None if self.labelled_exact is None else percent(self.labelled_exact, self.sentences)

    @property
    def clas(self) -> float | None:
        """F1 of the arcs, with relations, of content words (CoNLL 2018); None without those of Universal Dependencies.

        A word is predicted to be a content word by its predicted relation.  The shared task compared relations without
        subtypes.
        """
        return None if self.content is None else self.content.f1

    @property
    def root_f1(self) -> float:
        """F1 of the arcs from the root; differs from `root_accuracy` where sentences have several."""
        return self.by_length["to root"].f1

    @property
    def root_accuracy(self) -> float:
        """The share of sentences of which the roots are right."""
        return percent(self.roots, self.sentences)

    def __str__(self) -> str:
        return table(self)


def evaluate(gold: Iterable[Sentence], predicted: Iterable[Sentence], *, subtypes: bool = True) -> Evaluation:
    """Compare predicted heads (and relations, where both have some) with gold ones.

    Parameters
    ----------
    subtypes : whether what follows a colon in a relation counts (`nsubj:pass` is not `nsubj`)

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
    return evaluate_alignment(Alignment.of(gold, predicted, subtypes=subtypes))


def evaluate_alignment(words: Alignment) -> Evaluation:
    """Return the evaluation of treebanks that are already aligned."""
    attached = words.attached
    labelled = words.labelled if words.is_labelled else None
    wrong_roots = words.sentence[(words.gold == 0) != (words.predicted == 0)]
    return Evaluation(
        everything=_score(attached, labelled, np.ones_like(attached)),
        without_punctuation=_score(attached, labelled, ~words.punctuation),
        sentences=len(words.lengths),
        exact=_exact(words, attached),
        labelled_exact=None if labelled is None else _exact(words, labelled),
        roots=len(words.lengths) - len(np.unique(wrong_roots)),
        cyclic=words.cyclic,
        by_length=_by_length(words, attached),
        by_relation={} if labelled is None else _by_relation(words, attached, labelled),
        content=None if labelled is None else _content(words, labelled),
    )


def _exact(words: Alignment, right: Booleans) -> int:
    return len(words.lengths) - len(np.unique(words.sentence[~right]))


def _score(attached: Booleans, labelled: Booleans | None, chosen: Booleans) -> Score:
    right = None if labelled is None else int((labelled & chosen).sum())
    return Score(int(chosen.sum()), int((attached & chosen).sum()), right)


def _by_length(words: Alignment, attached: Booleans) -> dict[str, ArcScore]:
    def bins(heads: Integers) -> Integers:
        distance = np.abs(heads - words.position)
        return np.where(heads == 0, 0, np.digitize(distance, [1, 2, 3, 7]))

    def count(which: Integers) -> list[int]:
        counts: list[int] = np.bincount(which, minlength=len(_LENGTHS)).tolist()
        return counts

    gold, predicted = bins(words.gold), bins(words.predicted)
    counts = zip(count(gold), count(predicted), count(gold[attached]), strict=True)
    return {name: ArcScore(*row) for name, row in zip(_LENGTHS, counts, strict=True)}


def _by_relation(words: Alignment, attached: Booleans, labelled: Booleans) -> dict[str, RelationScore]:
    gold, predicted = Counter(words.gold_relations), Counter(words.predicted_relations)
    heads = Counter(name for name, right in zip(words.gold_relations, attached.tolist(), strict=True) if right)
    both = Counter(name for name, right in zip(words.gold_relations, labelled.tolist(), strict=True) if right)
    names = sorted({*gold, *predicted}, key=lambda name: (-gold[name], name))
    return {name: RelationScore(gold[name], predicted[name], both[name], heads[name]) for name in names}


def _content(words: Alignment, labelled: Booleans) -> ArcScore | None:
    if not are_universal(words.gold_relations):
        return None
    gold, predicted = (
        np.array([is_content(relation) for relation in relations], dtype=bool)
        for relations in (words.gold_relations, words.predicted_relations)
    )
    return ArcScore(int(gold.sum()), int(predicted.sum()), int((gold & labelled).sum()))

"""Scores against counts by hand, and the permutation test against all exchanges."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from nlp.conll import Sentence, read_all
from nlp.evaluation import ArcScore, EvaluationError, compare, evaluate, is_punctuation

FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.fixture
def gold() -> list[Sentence]:
    return read_all(FIXTURES / "goats.conll")


def test_perfect(gold):
    evaluation = evaluate(gold, gold)
    assert (evaluation.uas, evaluation.las, evaluation.exact_match, evaluation.root_accuracy) == (100.0,) * 4
    assert (evaluation.everything.words, evaluation.without_punctuation.words, evaluation.sentences) == (15, 12, 3)


def test_counts_by_hand(gold):
    first, second, third = gold
    relations = list(first.relations)
    relations[0] = "subj"
    predicted = [
        first.with_heads([2, 3, 0, 3, 4], relations),  # a wrong label, and wrong punctuation
        second.with_heads([2, 0, 1]),  # a wrong root
        third.with_heads([2, 3, 0, 3, 3, 5, 3]),  # one wrong head
    ]
    evaluation = evaluate(gold, predicted)
    assert evaluation.everything.attached == 4 + 1 + 6
    assert evaluation.everything.labelled == 3 + 1 + 6
    assert evaluation.without_punctuation.attached == 4 + 0 + 5
    assert evaluation.without_punctuation.labelled == 3 + 0 + 5
    assert evaluation.uas == pytest.approx(100 * 11 / 15)
    assert evaluation.las == pytest.approx(100 * 10 / 15)
    assert evaluation.uas_without_punctuation == pytest.approx(100 * 9 / 12)
    assert evaluation.las_without_punctuation == pytest.approx(100 * 8 / 12)
    assert (evaluation.exact, evaluation.roots, evaluation.cyclic) == (0, 2, 0)
    assert evaluation.by_length["to root"] == ArcScore(gold=3, predicted=3, correct=2)
    assert evaluation.by_length["1"] == ArcScore(gold=8, predicted=9, correct=7)
    assert evaluation.by_length["2"] == ArcScore(gold=2, predicted=2, correct=1)
    assert sum(score.gold for score in evaluation.by_length.values()) == 15
    detail = evaluation.by_relation["det"]
    assert (detail.gold, detail.attached, detail.correct, detail.predicted) == (2, 2, 1, 1)
    assert (detail.uas, detail.recall, detail.precision, detail.f1) == (100, 50, 100, pytest.approx(200 / 3))
    assert evaluation.labelled_exact == 0
    assert evaluation.root_f1 == pytest.approx(100 * 2 / 3)
    assert evaluation.clas is evaluation.content is None  # relations that are not those of UD
    assert list(evaluation.by_relation)[:2] == ["ROOT", "pnct"]
    assert sum(score.gold for score in evaluation.by_relation.values()) == 15
    assert sum(score.predicted for score in evaluation.by_relation.values()) == 15
    assert "all words               15  73.33  66.67" in str(evaluation)
    assert "no tree" not in str(evaluation)


def test_without_relations(gold):
    predicted = [sentence.with_heads(sentence.heads, ["_"] * len(sentence)) for sentence in gold]
    evaluation = evaluate(gold, predicted)
    assert evaluation.uas == 100.0
    assert evaluation.las is evaluation.las_without_punctuation is None
    assert evaluation.by_relation == {}
    assert "relation" not in str(evaluation)


def universal() -> tuple[list[Sentence], list[Sentence]]:
    """Return gold and predicted trees of two sentences, with relations of Universal Dependencies."""
    first = Sentence.from_words(
        ["The", "cat", "was", "seen", "."],
        heads=[2, 4, 4, 0, 4],
        relations=["det", "nsubj:pass", "aux:pass", "root", "punct"],
    )
    second = Sentence.from_words(["Go", "home", "now"], heads=[0, 1, 1], relations=["root", "advmod", "obl:unmarked"])
    # A subtype; a function word taken for a content word; a content word taken for a function word, with a wrong head.
    return [first, second], [
        first.with_heads(first.heads, ["amod", "nsubj", "aux:pass", "root", "punct"]),
        second.with_heads([0, 1, 2], ["root", "advmod", "case"]),
    ]


def test_clas_by_hand():
    gold, predicted = universal()
    evaluation = evaluate(gold, predicted)
    # Gold content words: cat, seen, Go, home, now; predicted: The, cat, seen, Go, home.
    assert evaluation.content == ArcScore(gold=5, predicted=5, correct=3)
    assert evaluation.clas == pytest.approx(60)
    without = evaluate(gold, predicted, subtypes=False)
    assert without.content == ArcScore(gold=5, predicted=5, correct=4)
    assert (evaluation.everything.labelled, without.everything.labelled) == (5, 6)
    assert "CLAS              5          5   60.00      60.00  60.00" in str(evaluation)
    assert evaluate(gold, gold).clas == 100.0
    assert (
        evaluate([sentence.with_heads(sentence.heads, ["SBJ"] * len(sentence)) for sentence in gold], gold).clas is None
    )


def test_function_words_alone_have_no_clas():
    one = Sentence.from_words(["."], heads=[0], relations=["punct"])
    assert np.isnan(evaluate([one], [one]).clas)


def test_relations_that_are_only_predicted_are_listed():
    gold, predicted = universal()
    scores = evaluate(gold, predicted).by_relation
    assert (scores["case"].gold, scores["case"].predicted, scores["case"].correct) == (0, 1, 0)
    assert np.isnan(scores["case"].recall)
    assert scores["case"].precision == 0.0
    assert "nsubj:pass" in scores
    assert "nsubj:pass" not in evaluate(gold, predicted, subtypes=False).by_relation


def test_exact_match_with_relations():
    gold, predicted = universal()
    evaluation = evaluate(gold, [gold[0], predicted[1].with_heads(gold[1].heads)])
    assert (evaluation.exact, evaluation.labelled_exact, evaluation.labelled_exact_match) == (2, 1, 50.0)


def test_roots_of_several_words():
    gold = Sentence.from_words(["a", "b", "c"], heads=[0, 0, 0])
    evaluation = evaluate([gold], [gold.with_heads([0, 1, 0])])
    assert (evaluation.root_accuracy, evaluation.root_f1) == (0.0, pytest.approx(100 * 4 / 5))


def test_comparison_without_subtypes():
    gold, predicted = universal()
    assert compare(gold, predicted, gold, metric="las").difference == pytest.approx(100 * 3 / 8)
    assert compare(gold, predicted, gold, metric="las", subtypes=False).difference == pytest.approx(100 * 2 / 8)


def test_cycles_are_told(gold):
    predicted = [gold[0].with_heads([2, 1, 0, 3, 3]), *gold[1:]]
    assert evaluate(gold, predicted).cyclic == 1
    assert "The predicted heads of 1 of 3 sentences are no tree" in str(evaluate(gold, predicted))


def test_only_punctuation():
    sentence = Sentence.from_words(["!"], heads=[0])
    evaluation = evaluate([sentence], [sentence])
    assert np.isnan(evaluation.uas_without_punctuation)
    assert "without punctuation      0" in str(evaluation)


def test_punctuation_is_by_characters():
    for form in (".", "--", "«", "…", "_", "?!", "。"):
        assert is_punctuation(form)
    for form in ("$", "+", "``", "a.", "1", "<", "©", ""):
        assert not is_punctuation(form)


def test_mismatches_are_told_where(gold):
    other = Sentence.from_words(["Two", "sheep", "argued", "loudly", "."], heads=[0, 1, 1, 1, 1])
    short = Sentence.from_words(["Two", "goats"], heads=[0, 1])
    blind = Sentence.from_words(list(gold[0].forms), heads=[0, 1, -1, 1, 1])
    for predicted, message in (
        ([other], r"^<memory>:1: word 2 of sentence 1 is 'sheep'; expected 'goats' as in .*goats.conll:2$"),
        ([short], r"^<memory>:0: sentence 1 has 2 words; expected 5 as in .*goats.conll:1$"),
        ([blind], r"^<memory>:2: word 3 of sentence 1 has no head; expected one"),
        (gold[:2], r"goats.conll:11: the gold treebank has a sentence 3, the predicted one has only 2; expected"),
        ([*gold, short], r"^<memory>:0: the predicted treebank has a sentence 4, the gold one has only 3; expected"),
    ):
        with pytest.raises(EvaluationError, match=message):
            evaluate(gold, predicted)
    with pytest.raises(EvaluationError, match="no sentences"):
        evaluate([], [])


def treebank(rights: list[int]) -> list[Sentence]:
    """Sentences of five words of which the first so many have the right head, which is 0."""
    words = ["a", "b", "c", "d", "e"]
    return [Sentence.from_words(words, heads=[0] * right + [5] * (4 - right) + [0]) for right in rights]


def test_p_value_is_that_of_all_exchanges():
    first, second = [0, 1, 2, 3, 4, 1, 1, 0, 2, 3], [2, 1, 4, 2, 4, 4, 0, 3, 3, 4]
    gold = treebank([4] * 10)
    comparison = compare(gold, iter(treebank(first)), iter(treebank(second)), seed=1, rounds=20_000)
    difference = np.subtract(second, first)
    sums = [abs(np.dot(signs, difference)) for signs in product((-1, 1), repeat=10)]
    exact = np.mean(np.array(sums) >= abs(difference.sum()))
    assert comparison.p_value == pytest.approx(exact, abs=0.006)
    assert comparison.difference == pytest.approx(100 * difference.sum() / 50)
    assert comparison == compare(gold, treebank(first), treebank(second), seed=1, rounds=20_000)
    back = compare(gold, treebank(second), treebank(first), seed=1, rounds=20_000)
    assert back.difference == -comparison.difference
    assert back.p_value == comparison.p_value


def test_comparison_of_equals_and_options(gold):
    assert compare(gold, gold, gold, metric="las", punctuation=False).p_value == 1.0
    bare = treebank([4])
    with pytest.raises(EvaluationError, match="relations"):
        compare(bare, bare, bare, metric="las")
    with pytest.raises(ValueError, match="rounds"):
        compare(bare, bare, bare, rounds=0)
    with pytest.raises(ValueError, match="metric"):
        compare(bare, bare, bare, metric="f1")
    dots = [Sentence.from_words(["a", "."], heads=[0, 1])]
    wrong = [dots[0].with_heads([0, 2])]
    assert compare(dots, dots, wrong).difference == -50.0
    assert compare(dots, dots, wrong, punctuation=False).difference == 0.0

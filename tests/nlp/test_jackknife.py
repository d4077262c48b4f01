"""The jackknife, the candidates that pruning leaves, and pruners that are saved and loaded."""

import numpy as np
import pytest

from nlp.deps import DependencyParser
from nlp.deps.parts import Parts
from nlp.deps.pruning import PruningSettings, _likely, jackknife, oracle
from oracles.sentences import invented_sentences


class Seen:
    """In place of a pruner: remembers on which sentences it was fitted, and says so for each that it prunes."""

    def __init__(self, sentences):
        self.sentences = sentences

    def candidates(self, sentence):
        return sentence, self.sentences


@pytest.mark.parametrize(("count", "folds"), [(10, 4), (4, 4), (7, 2), (3, 8)])
def test_no_sentence_is_pruned_by_a_model_that_has_seen_it(count, folds):
    sentences = [object() for _ in range(count)]
    whole, candidates = jackknife(sentences, folds, Seen)
    assert whole.sentences == sentences
    assert [sentence for sentence, _ in candidates] == sentences
    sizes = set()
    for sentence, fitted in candidates:
        assert sentence not in fitted
        assert all(other in sentences for other in fitted)
        sizes.add(len(fitted))
    # Each fold is as large as any other, give or take one.
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) == count - count // min(folds, count)


@pytest.mark.parametrize(("count", "folds"), [(5, 1), (1, 4)])
def test_one_fold_prunes_what_it_has_seen(count, folds):
    sentences = [object() for _ in range(count)]
    whole, candidates = jackknife(sentences, folds, Seen)
    assert [fitted for _, fitted in candidates] == [whole.sentences] * count


def test_heads_at_the_threshold_stay_and_impossible_ones_go():
    matrix = np.array([[0.0, 0.8, 0.5], [0.0, 0.0, 0.25], [0.0, 0.2, 0.0]])
    assert _likely(matrix, PruningSettings(threshold=0.25, max_heads=10))[:, 1:].tolist() == [
        [True, True], [False, True], [True, False],
    ]  # fmt: skip
    for threshold, max_heads, expected in ((0.3, 10, [1, 2]), (1e-9, 10, [2, 2]), (1e-9, 1, [1, 1]), (1e-9, 2, [2, 2])):
        settings = PruningSettings(threshold=threshold, max_heads=max_heads)
        assert _likely(matrix, settings)[:, 1:].sum(axis=0).tolist() == expected


def test_oracle_counts_gold_arcs_and_heads():
    sentences = invented_sentences(3)
    words = sum(map(len, sentences))
    every = [Parts.all_arcs(len(s)) for s in sentences]
    kept, heads = oracle(sentences, every)
    assert kept == 100.0
    assert heads == pytest.approx(sum(len(s) ** 2 for s in sentences) / words)
    chains = [Parts.of_mask(np.eye(len(s) + 1, k=1, dtype=bool)) for s in sentences]
    right = sum(int((s.heads == np.arange(len(s))).sum()) for s in sentences)
    assert 0 < right < words
    assert oracle(sentences, chains) == (pytest.approx(100.0 * right / words), 1.0)


@pytest.mark.parametrize("pruning", [True, False])
@pytest.mark.parametrize("length_bounds", [True, False])
@pytest.mark.parametrize("order", [1, 2])
def test_the_pruner_has_what_is_asked_for(pruning, length_bounds, order):
    parser = DependencyParser(bits=10, epochs=1, order=order, pruning=pruning, length_bounds=length_bounds)
    pruner = parser.fit(invented_sentences(8)).model.pruner
    assert (pruner is not None) == (pruning or length_bounds)
    if pruner is not None:
        assert (pruner.model is not None) == pruning
        assert (pruner.bounds is not None) == length_bounds


def test_second_order_models_prune_unless_they_are_told_otherwise():
    assert DependencyParser().prunes
    assert not DependencyParser(order=1).prunes
    assert DependencyParser(order=1, pruning=True).prunes
    assert not DependencyParser(pruning=False).prunes


@pytest.mark.parametrize(
    "options", [{"pruning": False}, {"max_heads": 2}, {"threshold": 0.5, "length_bounds": True}], ids=str
)
def test_a_loaded_model_prunes_as_the_saved_one(tmp_path, options):
    sentences = invented_sentences(12)
    parser = DependencyParser(bits=12, epochs=1, **options).fit(sentences)
    parser.save(tmp_path / "m.tacana")
    loaded = DependencyParser.load(tmp_path / "m.tacana")
    assert loaded.settings["pruning"] == parser.settings["pruning"]
    for sentence in sentences:
        before, after = (one.model.candidates(sentence) for one in (parser, loaded))
        np.testing.assert_array_equal(before.heads, after.heads)
        np.testing.assert_array_equal(before.modifiers, after.modifiers)
        if len(sentence) > 4:
            assert (len(before) == len(sentence) ** 2) == ("pruning" in options)


def test_gold_heads_may_be_pruned_away():
    """The right-branching tree is all that is left: likelihood takes it for gold, other objectives want what is not."""
    sentence = max(invented_sentences(5), key=len)
    model = DependencyParser(order=1, bits=4, roots="one").fit([sentence]).model
    chain = Parts.of_mask(np.eye(len(sentence) + 1, k=1, dtype=bool))
    from nlp.deps import Analysis

    instance = model.of(sentence, chain, gold=Analysis.of(sentence))
    assert sentence.heads.tolist() != list(range(len(sentence)))
    _, present = instance.gold_score({"arc": np.zeros(len(sentence))}, "")
    assert present["arc"].tolist() == [1.0] * len(sentence)
    right = (sentence.heads == np.arange(len(sentence))).astype(float)
    assert instance.targets[1::2].tolist() == right.tolist()

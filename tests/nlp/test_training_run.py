"""A training run step by step: temperatures, ties of the development score, and what is said of the data."""

import numpy as np
import pytest
from nlp.deps.fitting import fit_weights
from nlp.deps.scorer import Scorer
from nlp.deps.training import Training, TrainingSettings

from nlp.conll import Sentence
from nlp.deps import DependencyParser, PruningSettings
from nlp.deps.parts import Parts
from nlp.deps.sentences import say_what_does_not_fit
from nlp.deps.settings import ModelSettings
from nlp.features import DEFAULTS, Vocabulary
from oracles.sentences import invented_sentences


def scorer_of(sentences, settings):
    return Scorer.of(Vocabulary.fit(sentences), DEFAULTS, 10, settings)


@pytest.mark.parametrize(("objective", "epochs", "expected"), [
    ("risk", 4, {(0, 0.0): 0.5, (0, 0.5): 0.45, (2, 0.0): 0.3, (3, 1.0): 0.1}),
    ("l2+risk", 4, {(0, 0.0): 0.5, (1, 0.9): 0.5, (2, 0.0): 0.5, (3, 0.0): 0.3, (3, 1.0): 0.1}),
    ("l2+risk", 5, {(2, 0.0): 0.5, (3, 0.5): 0.3, (4, 1.0): 0.1}),
], ids=str)  # fmt: skip
def test_the_temperature_falls_from_hot_to_cold_while_risk_is_trained(objective, epochs, expected):
    settings = TrainingSettings(objective=objective, epochs=epochs, hot=0.5, cold=0.1)
    model = ModelSettings(order=1)
    run = Training(scorer_of(invented_sentences(2), model), model, settings, [], 0.1)
    found = {}
    for epoch, share in expected:
        run.epoch = epoch
        found[epoch, share] = run._temperature(share)
    assert found == pytest.approx(expected)


def test_of_equal_scores_the_first_is_kept_and_patience_runs_out():
    sentences, model = invented_sentences(6), ModelSettings(order=1)
    scores, kept = iter([50.0, 60.0, 60.0, 59.0, 61.0, 61.0]), []
    weights, history = fit_weights(
        scorer_of(sentences, model), model, TrainingSettings(epochs=9, patience=2), sentences,
        [Parts.all_arcs(len(s)) for s in sentences], dev_score=lambda _: next(scores), say=lambda _: None,
        keep=lambda weights, _: kept.append(weights),
    )  # fmt: skip
    assert [epoch.dev_score for epoch in history] == [50.0, 60.0, 60.0, 59.0]
    assert len(kept) == 2
    assert weights is kept[1]


def test_only_what_does_not_fit_is_told():
    crossing = Sentence.from_words(["a", "b", "c", "d"], heads=[3, 4, 0, 3])
    rooted = Sentence.from_words(["a", "b"], heads=[0, 0])
    for tree in ("projective", "nonprojective"):
        for roots in ("one", "any"):
            told = []
            say_what_does_not_fit(ModelSettings(tree=tree, roots=roots), [crossing, rooted, rooted], told.append)
            expected = ["1 of 3 training trees are not projective"] * (tree == "projective")
            expected += ["2 of 3 training trees have several roots"] * (roots == "one")
            assert [line.split(",")[0] for line in told] == expected


@pytest.mark.parametrize("pruning", [None, PruningSettings(most=2), PruningSettings(threshold=0.5, bounds=True)])
def test_a_loaded_model_prunes_as_the_saved_one(tmp_path, pruning):
    sentences = invented_sentences(12)
    parser = DependencyParser(bits=12, epochs=1, pruning=pruning).fit(sentences)
    parser.save(tmp_path / "m.tacana")
    loaded = DependencyParser.load(tmp_path / "m.tacana")
    assert loaded.pruning == parser.pruning
    for sentence in sentences:
        before, after = parser.pruner.candidates(sentence), loaded.pruner.candidates(sentence)
        np.testing.assert_array_equal(before.heads, after.heads)
        np.testing.assert_array_equal(before.modifiers, after.modifiers)
        if len(sentence) > 4:
            assert (len(before) == len(sentence) ** 2) == (pruning is None)


@pytest.mark.parametrize(("epochs", "first_of_risk"), [(1, 1), (2, 1), (4, 2), (5, 3), (10, 5)])
def test_the_second_half_of_the_epochs_is_for_risk(epochs, first_of_risk):
    model, settings = ModelSettings(order=1), TrainingSettings(objective="l2+risk", epochs=epochs)
    run = Training(scorer_of(invented_sentences(2), model), model, settings, [], 0.1)
    found = []
    for run.epoch in range(epochs):
        found.append(run.objective)
    assert found == ["l2"] * first_of_risk + ["risk"] * (epochs - first_of_risk)


def test_a_new_objective_begins_a_new_best():
    """The first epoch of risk replaces the best of l2, though it scores less."""
    sentences, model = invented_sentences(6), ModelSettings(order=1)
    scores, kept = iter([50.0, 60.0, 40.0, 39.0]), []
    weights, history = fit_weights(
        scorer_of(sentences, model), model, TrainingSettings(objective="l2+risk", epochs=4), sentences,
        [Parts.all_arcs(len(s)) for s in sentences], dev_score=lambda _: next(scores), say=lambda _: None,
        keep=lambda weights, _: kept.append(weights),
    )  # fmt: skip
    assert [epoch.objective for epoch in history] == ["l2", "l2", "risk", "risk"]
    assert len(kept) == 3
    assert weights is kept[2]


def test_likelihoods_above_1_are_told_once():
    """Five trees of the same words: no weights fit them all, and few iterations find too small a log-partition."""
    trees = [[0, 1, 2, 3, 4], [2, 3, 4, 5, 0], [2, 0, 2, 3, 4], [0, 1, 1, 1, 1], [5, 5, 5, 5, 0]]
    sentences = [Sentence.from_words(list("abcde"), tags=["X"] * 5, heads=heads) for heads in trees]
    for options, warned in (({"order": 2, "iterations": 1}, 1), ({"order": 1}, 0)):
        told = []
        parser = DependencyParser(objective="cll", pruning=None, bits=10, learning_rate=0.3, epochs=20, **options)
        parser.fit(sentences, report=told.append)
        found = [line for line in told if line.startswith("warning: the losses of ")]
        assert len(found) == warned
        assert all("of 5 sentences are below 0, the smallest -" in line for line in found)

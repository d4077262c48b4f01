"""The jackknife, the candidates that pruning leaves, and the gold trees of likelihood."""

import numpy as np
import pytest
from nlp.deps.fitting import fit_pruner
from nlp.deps.training import Example, TrainingSettings

from nlp.deps import PruningSettings
from nlp.deps.parts import Parts
from nlp.deps.pruning import _likely, jackknife, oracle
from nlp.deps.settings import ModelSettings
from nlp.features import DEFAULTS, Vocabulary
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
    assert _likely(matrix, PruningSettings(threshold=0.25, most=10))[:, 1:].tolist() == [
        [True, True], [False, True], [True, False],
    ]  # fmt: skip
    assert _likely(matrix, PruningSettings(threshold=0.3, most=10))[:, 1:].sum(axis=0).tolist() == [1, 2]
    assert _likely(matrix, PruningSettings(threshold=1e-9, most=10))[:, 1:].sum(axis=0).tolist() == [2, 2]
    assert _likely(matrix, PruningSettings(threshold=1e-9, most=1))[:, 1:].sum(axis=0).tolist() == [1, 1]
    assert _likely(matrix, PruningSettings(threshold=1e-9, most=2))[:, 1:].sum(axis=0).tolist() == [2, 2]


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


@pytest.mark.parametrize("model", [True, False])
def test_the_pruner_has_a_model_if_it_is_asked_for(model):
    sentences = invented_sentences(12)
    pruner = fit_pruner(
        Vocabulary.fit(sentences), DEFAULTS, 12, PruningSettings(model=model, bounds=True), ModelSettings(),
        TrainingSettings(), sentences,
    )  # fmt: skip
    assert (pruner.weights is not None) == (pruner.scorer is not None) == model
    assert pruner.bounds is not None


def test_gold_trees_of_likelihood_are_trees_of_candidates():
    """The right-branching tree is all that is left: likelihood must take it for gold, other objectives must not."""
    sentence = invented_sentences(1)[0]
    parts = Parts.of_mask(np.eye(len(sentence) + 1, k=1, dtype=bool))
    chain = np.arange(-1, len(sentence))
    assert sentence.heads.tolist() != chain[1:].tolist()
    assert Example.of(sentence, parts, ModelSettings(), "cll").gold.tolist() == chain.tolist()
    for objective in ("l2", "risk", "l2+risk"):
        assert Example.of(sentence, parts, ModelSettings(), objective).gold[1:].tolist() == sentence.heads.tolist()


def test_crossing_gold_trees_are_made_projective_for_likelihood():
    from nlp.conll import Sentence, is_projective

    sentence = Sentence.from_words(["a", "b", "c", "d"], heads=[3, 4, 0, 3])
    parts = Parts.all_arcs(4)
    found = Example.of(sentence, parts, ModelSettings(), "cll").gold
    assert is_projective(found[1:])
    assert (found[1:] == sentence.heads).sum() == 3
    free = Example.of(sentence, parts, ModelSettings(tree="nonprojective"), "cll").gold
    assert free[1:].tolist() == sentence.heads.tolist()

"""Word dropout makes words unknown as often as the settings say, and what is left of them is what should be."""

import numpy as np

from nlp.conll import Sentence
from nlp.deps import DependencyParser
from nlp.features import ATTRIBUTES, Vocabulary
from nlp.features.encoded import FIRST_VALUE, UNKNOWN
from oracles.sentences import invented_sentences

FORM, TAG, SUFFIX = (ATTRIBUTES.index(name) for name in ("form", "tag", "suffix3"))
LOST = [ATTRIBUTES.index(name) for name in ("form", "lower", "lemma", "prefix2", "prefix3", "frequency")]


def test_words_are_dropped_by_their_counts():
    """With c occurrences by 1 / (1 + c), and a word that is unknown already as one that occurs once."""
    often = Sentence.from_words(["often"] * 9, tags=["N"] * 9, heads=[0, *[1] * 8])
    rare = Sentence.from_words(["rare", "rare", "once"], tags=["R", "R", "R"], heads=[0, 1, 1])
    vocabulary = Vocabulary.fit([often, rare])
    text = Sentence.from_words(["often", "rare", "once"], tags=["N", "R", "R"])
    rng, draws = np.random.default_rng(0), 4000
    kept = vocabulary.encode(text)
    before = kept.attributes.copy()
    assert kept.attributes[3, FORM] == UNKNOWN
    assert (kept.attributes[1:3, FORM] >= FIRST_VALUE).all()
    dropped = np.zeros(4)
    for _ in range(draws):
        encoded = vocabulary.drop_words(kept, 1.0, rng)
        lost = (encoded.attributes[:, LOST] == UNKNOWN).all(axis=1)
        dropped += lost
        np.testing.assert_array_equal(encoded.attributes[:, [TAG, SUFFIX]], kept.attributes[:, [TAG, SUFFIX]])
        np.testing.assert_array_equal(encoded.attributes[~lost], kept.attributes[~lost])
    np.testing.assert_allclose(dropped / draws, [0, 1 / 10, 1 / 3, 1 / 2], atol=0.03)
    np.testing.assert_array_equal(kept.attributes, before)


def test_words_are_dropped_in_training_alone():
    model = DependencyParser(order=1, bits=12, epochs=3, word_dropout=1e9).fit(invented_sentences(10)).model
    instance = model.of(invented_sentences(1)[0])
    plain, again, dropped = (model.scorer.score(instance, rng=rng)[0]["arc"]
                             for rng in (None, None, np.random.default_rng(0)))  # fmt: skip
    np.testing.assert_array_equal(plain, again)
    assert np.abs(plain - dropped).max() > 1e-6

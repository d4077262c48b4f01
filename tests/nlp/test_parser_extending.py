"""What docs/parser.md promises to those who extend the parser."""

import numpy as np
import pytest
from nlp.deps.objectives import OBJECTIVES
from nlp.deps.scorer import Scorer

from nlp.deps import DependencyParser
from nlp.deps.inference import infer
from nlp.features import ATTRIBUTES, EncodedSentence
from oracles.sentences import invented_sentences


class TagPairs(Scorer):
    """A dense score for each two tags and direction, in place of features."""

    @property
    def slots(self):
        return 2 * 16 * 16

    def prepare(self, sentence):
        encoded = sentence if isinstance(sentence, EncodedSentence) else self.encode(sentence)
        return encoded.attributes[:, ATTRIBUTES.index("tag")]

    def _places(self, prepared, parts):
        right = parts.modifiers > parts.heads
        return (prepared[parts.heads] * 16 + prepared[parts.modifiers]) * 2 + right

    def scores(self, prepared, parts, weights):
        return {"arc": np.asarray(weights, dtype=np.float64)[self._places(prepared, parts)]}

    def accumulate(self, prepared, parts, adjoints, buffer, *, smallest=0.0):
        buffer.add(self._places(prepared, parts), adjoints["arc"])


class TagPairParser(DependencyParser):
    def make_scorer(self, vocabulary):
        usual = super().make_scorer(vocabulary)
        return TagPairs(usual.vocabulary, usual.kinds, usual.hashers)


def test_another_scorer_is_trained_saved_and_loaded(tmp_path):
    sentences = invented_sentences(60)
    parser = TagPairParser(order=1, epochs=6, learning_rate=0.5).fit(sentences[:50])
    assert len(parser.weights) == 512
    assert parser.score(sentences[50:]).uas > 75
    parser.save(tmp_path / "m.tacana")
    assert TagPairParser.load(tmp_path / "m.tacana").parse(sentences) == parser.parse(sentences)


def test_a_new_objective_is_a_function(monkeypatch):
    calls = []

    def perceptron(parts, settings, scores, tree, temperature):
        """The difference of the believed and the gold tree."""
        calls.append(temperature)
        found = np.round(infer(parts, settings, scores).beliefs)
        return float(np.abs(found - tree).sum()), {"arc": found - tree}

    with pytest.raises(ValueError, match="perceptron"):
        DependencyParser(objective="perceptron")
    monkeypatch.setitem(OBJECTIVES, "perceptron", perceptron)
    sentences = invented_sentences(60)
    parser = DependencyParser(order=1, objective="perceptron", bits=14, epochs=6, learning_rate=0.1)
    assert parser.fit(sentences[:50]).score(sentences[50:]).uas > 80
    assert len(calls) == 300

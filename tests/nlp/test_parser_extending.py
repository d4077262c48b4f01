"""What docs/parser.md promises to those who extend the parser."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from attrs import frozen
from click.testing import CliRunner

from autodiff import Parameter, SparseAdjoint
from nlp.command import main
from nlp.deps import DependencyParser, DependencyScorer, ModelFileError, ParserError
from nlp.features import ATTRIBUTES
from oracles.sentences import invented_sentences
from pgm.learning import Objective, SoftmaxMargin
from pgm.learning.objective import ObjectiveValue

ROOT = Path(__file__).parents[2]


class TagPairs(DependencyScorer):
    """A dense score for each two tags and direction, and for each relation and tag, in place of features."""

    def __init__(self, vocabulary, relations):
        self.vocabulary = vocabulary
        self.pairs = Parameter("pairs", np.zeros(2 * 16 * 16))
        self.relations = Parameter("by tag", np.zeros((16, relations)))

    def parameters(self, instances=()):
        return {"pairs": self.pairs, "by tag": self.relations}

    def score(self, instance, *, rng=None):
        parts, sums = instance.parts, instance.relations
        tags = instance.encoded.attributes[:, ATTRIBUTES.index("tag")]
        right = parts.modifiers > parts.heads
        places = (tags[parts.heads] * 16 + tags[parts.modifiers]) * 2 + right
        scores = {"arc": self.pairs.read()[places].astype(np.float64)}
        if sums is not None:
            cells = np.ravel_multi_index((tags[parts.modifiers][sums.arcs], sums.labels), self.relations.read().shape)
            scores["relation"] = self.relations.read().ravel()[cells].astype(np.float64)

        def backward(adjoints, gradients):
            gradients.add("pairs", SparseAdjoint(places, adjoints["arc"], (512,)))
            if sums is not None:
                dense = np.bincount(cells, weights=adjoints["relation"], minlength=self.relations.read().size)
                gradients.add("by tag", dense.reshape(self.relations.read().shape))

        return scores, backward


class TagPairParser(DependencyParser):
    def make_scorer(self, vocabulary, relations=None):
        return TagPairs(vocabulary, 0 if relations is None else len(relations))


@pytest.mark.parametrize("relations", [False, True])
def test_another_scorer_is_trained_saved_and_loaded(tmp_path, relations):
    sentences = invented_sentences(60)
    if relations:
        sentences = [s.with_heads(s.heads, [f"of {tag}" for tag in s.tags]) for s in sentences]
    parser = TagPairParser(order=1, epochs=6, learning_rate=0.5, delta=0.1).fit(sentences[:50])
    assert parser.model.scorer.pairs.read().shape == (512,)
    assert parser.score(sentences[50:]).uas > 75
    assert not relations or parser.score(sentences[50:]).las > 75
    parser.save(tmp_path / "m.tacana")
    assert TagPairParser.load(tmp_path / "m.tacana").parse(sentences) == parser.parse(sentences)
    with pytest.raises(ModelFileError, match=r"there are weights of .'by tag', 'pairs'., and the settings are for"):
        DependencyParser.load(tmp_path / "m.tacana")


def test_kinds_of_ones_own_reach_command_line_and_model_file(tmp_path):
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    script = [sys.executable, str(ROOT / "tests" / "nlp" / "own_kinds.py"), str(tmp_path)]
    result = subprocess.run(script, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    # Where the kinds are unknown, the model is refused in one line.
    with pytest.raises(ModelFileError, match=r"m\.tacana: damaged: there is no \w+ '[a-z-]+'; there is") as caught:
        DependencyParser.load(tmp_path / "m.tacana")
    assert "\n" not in str(caught.value)
    result = CliRunner().invoke(main, ["info", str(tmp_path / "m.tacana")])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def half_distance():
    """An objective without a name: it will do in Python, but no model file can name it."""

    @frozen
    class HalfDistance(Objective):
        def evaluate(self, instance, scores, *, progress=0.0):
            run, right = instance.run(scores, record=True), np.nan_to_num(instance.targets)
            off = run.beliefs - right
            return ObjectiveValue(0.5 * float(off @ off), run.backward(beliefs=off))

    return HalfDistance()


def test_objects_will_do_in_place_of_names():
    sentences = invented_sentences(45)
    parser = DependencyParser(order=1, objective=half_distance(), bits=14, epochs=6, learning_rate=0.1)
    assert parser.fit(sentences[:35]).score(sentences[35:]).uas > 80
    assert parser.history.epochs[0].stage == "HalfDistance"


@pytest.mark.parametrize("objective", [half_distance(), SoftmaxMargin(cost=lambda instance: instance.hamming(0.5))])
def test_what_no_model_file_can_name_is_refused_before_the_work(tmp_path, objective):
    sentences = invented_sentences(5)
    parser = DependencyParser(order=1, objective=objective, bits=8, epochs=1)
    with pytest.raises(ParserError, match="to a model file: ") as caught:
        parser.fit(sentences, save_to=tmp_path / "m.tacana")
    assert "\n" not in str(caught.value)
    assert parser.model is None
    parser.fit(sentences)
    with pytest.raises(ParserError, match="to a model file: "):
        parser.save(tmp_path / "m.tacana")
    assert not list(tmp_path.iterdir())

"""The parser from Python: what it gives, what it refuses, what it says."""

import numpy as np
import pytest

from nlp.conll import Sentence
from nlp.deps import DependencyParser, ModelFileError, ParserError
from oracles.sentences import invented_sentences

SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}


def test_marginals_sum_to_one_for_each_word():
    sentences = invented_sentences(20)
    parser = DependencyParser(order=1, **SMALL).fit(sentences)
    marginals = parser.marginals(sentences[0])
    assert marginals.shape == (len(sentences[0]) + 1, len(sentences[0]))
    np.testing.assert_allclose(marginals.sum(axis=0), 1.0)


def test_the_number_of_workers_changes_nothing():
    sentences = invented_sentences(40)
    parser = DependencyParser(**SMALL).fit(sentences[:10])
    assert parser.parse(sentences, workers=2) == parser.parse(sentences)


def test_odd_sentences_can_be_learnt_from_and_parsed():
    one = Sentence.from_words(["Hello"], tags=["I"], heads=[0])
    untagged = Sentence.from_words(["a", "b", "c"], heads=[2, 0, 2])
    long = Sentence.from_words(["word"] * 300, tags=["N"] * 300, heads=list(range(300)))
    parser = DependencyParser(bits=14, epochs=2, learning_rate=0.2).fit([one, untagged, long])
    assert [len(s) for s in parser.parse([one, untagged, long])] == [1, 3, 300]
    with pytest.raises(ParserError, match="no weights"):
        DependencyParser().parse([one])
    with pytest.raises(TypeError, match="no option"):
        DependencyParser(ordre=2)


def test_what_cannot_work_is_said_before_the_work(tmp_path):
    sentences = invented_sentences(5)
    with pytest.raises(ModelFileError, match="no directory"):
        DependencyParser(**SMALL).fit(sentences, save_to=tmp_path / "nowhere" / "m.tacana")
    with pytest.raises(ParserError, match="no development sentences"):
        DependencyParser(**SMALL).fit(sentences, [])
    with pytest.raises(ParserError, match="no tree"):
        DependencyParser(**SMALL).fit([Sentence.from_words(["a", "b", "c"], heads=[2, 1, 0])])
    with pytest.raises(ParserError, match="list of one"):
        DependencyParser(**SMALL).fit(sentences).parse(sentences[0])
    for wrong in (
        {"bits": 99}, {"learning_rate": float("nan")}, {"learning_rate": "fast"}, {"order": 3}, {"inference": "exact"},
        {"epochs": 1.5}, {"hot": 0}, {"decoder": "MAP"}, {"pruning": {"most": 3}}, {"templates": "file"},
    ):  # fmt: skip
        (name,) = wrong
        with pytest.raises((ValueError, TypeError), match=name if name != "learning_rate" else "rate"):
            DependencyParser(**wrong)
    with pytest.raises(ValueError, match="decoder"):
        DependencyParser(**SMALL).using(decoder="MAP")
    assert DependencyParser(pruning=False).pruning is None
    assert DependencyParser(learning_rate="auto").training.learning_rate is None


def test_an_empty_sentence_has_an_empty_parse():
    parser, empty = DependencyParser(**SMALL).fit(invented_sentences(5)), Sentence.from_words([])
    assert len(parser.parse([empty])[0]) == 0
    assert parser.marginals(empty).shape == (1, 0)
    assert len(parser.best_parses(empty)) == 1
    with pytest.raises(ParserError, match="marginals takes"):
        parser.marginals([empty])


def test_trees_that_do_not_fit_the_model_are_told():
    told = []
    crossing = Sentence.from_words(["a", "b", "c", "d"], tags=list("ABCD"), heads=[3, 4, 0, 3])
    DependencyParser(**SMALL).fit([*invented_sentences(3), crossing], report=told.append)
    assert any("1 of 4 training trees are not projective" in line for line in told)


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
@pytest.mark.parametrize("order", [1, 2])
def test_the_first_of_the_best_parses_is_the_parse(order, tree):
    sentences = invented_sentences(20)
    parser = DependencyParser(order=order, tree=tree, **SMALL).fit(sentences)
    for sentence in sentences[:5]:
        found = parser.best_parses(sentence, 4)
        scores = [score for score, _ in found]
        assert scores == sorted(scores, reverse=True)
        assert len({heads.tobytes() for _, heads in found}) == len(found)
        if order == 2:
            assert found[0][1].tolist() == parser.heads(sentence).tolist()

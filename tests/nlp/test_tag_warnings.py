"""Text without tags, or with tags that the model has never seen, is told of once, with a count."""

import pytest

from nlp.conll import Sentence
from nlp.deps import DependencyParser, ParserWarning
from oracles.sentences import invented_sentences

SMALL = {"order": 1, "bits": 12, "learning_rate": 0.02, "epochs": 1}


@pytest.fixture(scope="module")
def parser():
    return DependencyParser(**SMALL).fit(invented_sentences(10))


def bare(sentence):
    return Sentence.from_words(sentence.forms)


def test_untagged_text_is_one_warning_with_a_count(parser):
    given = invented_sentences(4)
    words = len(given[1]) + len(given[3])
    mixed = [given[0], bare(given[1]), given[2], bare(given[3])]
    with pytest.warns(ParserWarning, match=rf"2 of 4 sentences have words without tags \({words} of ") as caught:
        assert len(parser.parse(mixed)) == 4
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("method", ["marginals", "best_parses"])
def test_single_sentences_warn_as_well(parser, method):
    with pytest.warns(ParserWarning, match="1 of 1 sentences"):
        getattr(parser, method)(bare(invented_sentences(1)[0]))


def test_unknown_tags_warn_only_where_they_are_most(parser):
    one = Sentence.from_words(["a", "b", "c", "d"], tags=["N", "V", "?", "!"])
    assert len(parser.parse([one])) == 1  # half are known; a warning would be an error
    with pytest.warns(ParserWarning, match=r"75 % of the tags \(!, %, \?, …\)"):
        parser.parse([Sentence.from_words(["a", "b", "c", "d"], tags=["N", "%", "?", "!"])])


def test_a_model_without_tags_does_not_miss_them():
    sentences = [bare(s).with_heads(s.heads) for s in invented_sentences(10)]
    parser = DependencyParser(**SMALL).fit(sentences)
    assert len(parser.parse(sentences)) == 10

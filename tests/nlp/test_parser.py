"""The parser from Python: what it gives, what it refuses, what it says."""

import numpy as np
import pytest

from nlp.conll import Sentence
from nlp.deps import DependencyParser, ModelFileError, OptionError, ParserError
from oracles.sentences import invented_sentences

SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}


def test_marginals_sum_to_one_for_each_word():
    sentences = invented_sentences(20)
    parser = DependencyParser(order=1, **SMALL).fit(sentences)
    marginals = parser.marginals(sentences[0])
    assert marginals.shape == (len(sentences[0]) + 1, len(sentences[0]))
    np.testing.assert_allclose(marginals.sum(axis=0), 1.0)


def labelled(count):
    return [s.with_heads(s.heads, [f"of {tag}" for tag in s.tags]) for s in invented_sentences(count)]


@pytest.mark.parametrize("make", [invented_sentences, labelled])
def test_the_number_of_workers_changes_nothing(make):
    sentences = make(40)
    parser = DependencyParser(**SMALL).fit(sentences[:10], sentences[10:14], workers=2)
    assert parser.parse(sentences, workers=2) == parser.parse(sentences)
    alone = DependencyParser(**SMALL).fit(sentences[:10], sentences[10:14])
    assert alone.history == parser.history
    np.testing.assert_array_equal(alone.model.scorer.weights.read(), parser.model.scorer.weights.read())


@pytest.mark.parametrize("options", [{"order": 1}, {}, {"labels": "sum", "tree": "nonprojective"}], ids=str)
def test_relations_are_learnt_with_the_arcs(options):
    sentences = labelled(40)
    parser = DependencyParser(**SMALL, **options).fit(sentences[:30], sentences[30:35])
    scores = parser.score(sentences[30:])
    assert scores.las > 85
    assert scores.uas >= scores.las
    assert parser.history.epochs[-1].development == pytest.approx(parser.score(sentences[30:35]).las, abs=20)
    best = parser.history.epochs[parser.history.best - 1].development
    assert best == parser.score(sentences[30:35]).las
    sentence = max(sentences, key=len)
    arcs, by_relation = parser.marginals(sentence), parser.marginals(sentence, labels=True)
    assert set(by_relation) == {f"of {tag}" for tag in "ADNPV"}
    np.testing.assert_allclose(sum(by_relation.values()), arcs, atol=1e-12)
    (parsed,) = parser.parse([sentence])
    assert set(parsed.relations) <= set(by_relation)
    assert [relation.removeprefix("of ") for relation in parsed.relations] == list(sentence.tags)


def test_relations_are_left_out_where_there_are_none_or_none_are_wanted():
    plain, named = invented_sentences(10), labelled(10)
    for sentences, options in ((plain, {}), (named, {"labels": "none"}), (plain, {"labels": "sum"})):
        parser = DependencyParser(order=1, **SMALL, **options).fit(sentences, sentences[:2])
        assert parser.model.relations is None
        assert set(parser.model.scorer.parameters()) == {"weights"}
        assert parser.analyse(sentences[0]).relations is None
        assert set(parser.parse(sentences)[0].relations) == {"_"}
        assert parser.best_parses(sentences[0])[0][1].relations is None
        assert parser.history.epochs[-1].development == 100.0
        with pytest.raises(ParserError, match="the model has no relations"):
            parser.marginals(sentences[0], labels=True)


def test_arcs_are_learnt_alike_without_relations_and_with_a_single_one():
    """A set of one relation has no weights, and changes no likelihood."""
    plain = invented_sentences(10)
    single = [s.with_heads(s.heads, ["dep"] * len(s)) for s in plain]
    one, other = (DependencyParser(order=1, objective="cll", **SMALL).fit(given) for given in (plain, single))
    np.testing.assert_array_equal(one.model.scorer.weights.read(), other.model.scorer.weights.read())
    assert set(other.model.scorer.parameters()) == {"weights"}
    assert set(other.parse(plain)[0].relations) == {"dep"}
    assert other.score(single).las == other.score(single).uas


def test_a_parser_that_is_trained_again_asks_the_new_data():
    parser = DependencyParser(order=1, **SMALL).fit(invented_sentences(5))
    two_roots = Sentence.from_words(["a", "b"], tags=["A", "B"], heads=[0, 0], relations=["x", "y"])
    parser.fit([two_roots] * 4)
    assert parser.parse([two_roots])[0] == two_roots
    parser.fit(invented_sentences(5))
    assert parser.settings["tree"].roots == "one"
    assert parser.model.relations is None


def test_weaker_constraints_still_list_trees():
    sentences = labelled(10)
    parser = DependencyParser(order=1, **SMALL).fit(sentences)
    weaker = parser.using(constraint="exactly_one")
    for one, other in zip(parser.best_parses(sentences[0], 3), weaker.best_parses(sentences[0], 3), strict=True):
        assert one[0] == other[0]
        assert one[1].heads.tolist() == other[1].heads.tolist()


def test_odd_sentences_can_be_learnt_from_and_parsed():
    one = Sentence.from_words(["Hello"], tags=["I"], heads=[0])
    untagged = Sentence.from_words(["a", "b", "c"], heads=[2, 0, 2])
    long = Sentence.from_words(["word"] * 300, tags=["N"] * 300, heads=list(range(300)))
    parser = DependencyParser(bits=14, epochs=2, learning_rate=0.2).fit([one, untagged, long])
    assert [len(s) for s in parser.parse([one, untagged, long])] == [1, 3, 300]
    with pytest.raises(ParserError, match="no weights"):
        DependencyParser().parse([one])
    with pytest.raises(OptionError, match="there is no option 'ordre'; there are approximation_aware, average, "):
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
        {"epochs": 1.5}, {"decoder": "MAP"}, {"pruning": {"max_heads": 3}}, {"templates": "file"},
        {"temperature": 0, "objective": "risk"}, {"max_heads": 0}, {"update": "adagrat"}, {"labels": "some"},
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
            DependencyParser(**wrong)
    with pytest.raises(ValueError, match="decoder"):
        DependencyParser(**SMALL).using(decoder="MAP")
    assert DependencyParser(learning_rate="auto").settings["learning"].learning_rate is None


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
        assert len({tree.heads.tobytes() for _, tree in found}) == len(found)
        parse = parser.analyse(sentence) if order == 2 else parser.using(decoder="map").analyse(sentence)
        assert found[0][1].heads.tolist() == parse.heads.tolist()
        assert found[0][1].relations == parse.relations

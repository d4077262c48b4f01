"""How the parser trains: stages, ties of the development score, interruptions, and what is said of the data."""

import threading

import numpy as np
import pytest

from nlp.conll import Sentence
from nlp.deps import DependencyParser
from nlp.deps.sentences import say_what_does_not_fit
from nlp.deps.settings import TreeSettings
from oracles.sentences import invented_sentences
from pgm.learning import AnnealedRisk

SMALL = {"order": 1, "bits": 12, "learning_rate": 0.1}


class Scores:
    """In place of `score` of a parser: gives one score after another, and notes the weights."""

    uas = None
    las = None

    def __init__(self, scores):
        self.scores, self.weights = iter(scores), []

    def __call__(self, parser, sentences, *, workers=1):
        self.weights.append(weights_of(parser))
        found = next(self.scores)
        if isinstance(found, BaseException):
            raise found
        self.uas = found
        return self


def weights_of(parser):
    parameters = parser.model.scorer.parameters().values()
    return b"".join(parameter.read().astype(np.float32).tobytes() for parameter in parameters)


def with_scores(monkeypatch, scores, **options):
    """Train with these development scores, one an epoch; return the parser, what noted them, and the error."""
    noted, sentences = Scores(scores), invented_sentences(8)
    monkeypatch.setattr(DependencyParser, "score", lambda parser, dev, workers=1: noted(parser, dev))
    parser, error = DependencyParser(**{**SMALL, **options}), None
    try:
        parser.fit(sentences[:6], sentences[6:])
    except BaseException as found:
        error = found
    return parser, noted, error


@pytest.mark.parametrize(("objective", "epochs", "expected"), [
    ("l2+risk", 1, ["l2", "risk"]), ("l2+risk", 4, ["l2"] * 2 + ["risk"] * 2),
    ("l2+risk", 5, ["l2"] * 3 + ["risk"] * 3), ("cll+l2+risk", 3, ["cll", "l2", "risk"]), ("mll", 2, ["mll"] * 2),
])  # fmt: skip
def test_stages_share_the_epochs_and_each_one_runs(objective, epochs, expected):
    parser = DependencyParser(objective=objective, epochs=epochs, **SMALL).fit(invented_sentences(4))
    assert [epoch.stage for epoch in parser.history.epochs] == expected


def test_the_temperature_falls_from_first_to_last_step_of_risk(monkeypatch):
    found = []
    usual = AnnealedRisk.evaluate

    def evaluate(objective, instance, scores, *, progress=0.0):
        found.append(objective._temperature(progress))
        return usual(objective, instance, scores, progress=progress)

    monkeypatch.setattr(AnnealedRisk, "evaluate", evaluate)
    options = {"objective": "l2+risk", "epochs": 4, "temperature": 0.5, "final_temperature": 0.1, "batch_size": 1}
    DependencyParser(**options, **SMALL).fit(invented_sentences(4))
    np.testing.assert_allclose(found, 0.5 - 0.4 * np.arange(8) / 8)


def test_of_equal_scores_the_first_is_kept_and_patience_runs_out(monkeypatch):
    scores = [50.0, 60.0, 60.0, 59.0, 61.0, 61.0]
    parser, noted, _ = with_scores(monkeypatch, scores, epochs=9, patience=2)
    assert [epoch.development for epoch in parser.history.epochs] == scores[:4]
    assert parser.history.best == 2
    assert parser.history.stopped_early
    assert weights_of(parser) == noted.weights[1] != noted.weights[2]


def test_risk_always_runs_and_only_what_is_better_is_kept(monkeypatch):
    """L2 ends by its patience; risk starts from its best weights, and replaces them only where it scores more."""
    scores = [90.0, 85.0, 84.0, 88.0, 89.0]
    parser, noted, _ = with_scores(monkeypatch, scores, objective="l2+risk", epochs=8, patience=2)
    assert [epoch.stage for epoch in parser.history.epochs] == ["l2"] * 3 + ["risk"] * 2
    assert parser.history.best == 1
    assert weights_of(parser) == noted.weights[0]
    scores = [50.0, 60.0, 59.0, 61.0]
    parser, noted, _ = with_scores(monkeypatch, scores, objective="l2+risk", epochs=4)
    assert parser.history.best == 4
    assert weights_of(parser) == noted.weights[3]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("no room")], ids=repr)
def test_an_end_within_scoring_leaves_the_best_weights(monkeypatch, error):
    parser, noted, found = with_scores(monkeypatch, [50.0, 60.0, 55.0, error], epochs=9)
    assert found is error
    assert parser.history.best == 2
    assert weights_of(parser) == noted.weights[1]
    assert parser.model.scorer.weights.read().dtype == np.float32
    assert len(parser.parse(invented_sentences(2))) == 2


def test_an_end_before_the_first_epoch_leaves_the_parser_as_it_was(monkeypatch):
    sentences = invented_sentences(8)
    parser = DependencyParser(epochs=1, **SMALL).fit(sentences)
    before, history = weights_of(parser), parser.history
    noted = Scores([KeyboardInterrupt()])
    monkeypatch.setattr(DependencyParser, "score", lambda parser, dev, workers=1: noted(parser, dev))
    with pytest.raises(KeyboardInterrupt):
        parser.fit(sentences[:4], sentences[4:])
    assert weights_of(parser) == before
    assert parser.history is history


def test_only_what_does_not_fit_is_told():
    crossing = Sentence.from_words(["a", "b", "c", "d"], heads=[3, 4, 0, 3])
    rooted = Sentence.from_words(["a", "b"], heads=[0, 0])
    for tree in ("projective", "nonprojective"):
        for roots in ("one", "any"):
            told = []
            say_what_does_not_fit(TreeSettings(tree=tree, roots=roots), [crossing, rooted, rooted], told.append)
            expected = ["1 of 3 training trees are not projective"] * (tree == "projective")
            expected += ["2 of 3 training trees have several roots"] * (roots == "one")
            assert [line.split(",")[0] for line in told] == expected


def test_likelihoods_above_1_are_told_once():
    """Five trees of the same words: no weights fit them all, and few iterations find too small a log-partition."""
    from pgm.learning import UnboundedLossWarning

    trees = [[0, 1, 2, 3, 4], [2, 3, 4, 5, 0], [2, 0, 2, 3, 4], [0, 1, 1, 1, 1], [5, 5, 5, 5, 0]]
    sentences = [Sentence.from_words(list("abcde"), tags=["X"] * 5, heads=heads) for heads in trees]
    options = {"objective": "cll", "pruning": False, "bits": 10, "learning_rate": 0.3, "epochs": 20}
    DependencyParser(order=1, **options).fit(sentences)
    with pytest.warns(UnboundedLossWarning, match="of 5 .* below 0, the smallest -") as caught:
        DependencyParser(order=2, iterations=1, **options).fit(sentences)
    assert len(caught) == 1


def in_threads(jobs):
    """Run functions at once; return what they return."""
    found = [None] * len(jobs)

    def run(number):
        found[number] = jobs[number]()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_threads_that_train_and_parse_do_not_disturb_each_other():
    sentences = [s.with_heads(s.heads, [f"r{tag}" for tag in s.tags]) for s in invented_sentences(30)]
    options = [{"order": 1, "seed": 1}, {"seed": 2}, {"tree": "nonprojective", "objective": "cll"}]

    def train(options):
        parser = DependencyParser(bits=12, epochs=2, **options).fit(sentences[:20], sentences[20:25])
        return weights_of(parser), [(s.heads.tolist(), s.relations) for s in parser.parse(sentences)]

    alone = [train(each) for each in options]
    for _ in range(3):
        assert in_threads([lambda each=each: train(each) for each in options]) == alone
    parser = DependencyParser(bits=12, epochs=2).fit(sentences[:20])
    expected = [(s.heads.tolist(), s.relations) for s in parser.parse(sentences)]

    def parse(workers):
        return [(s.heads.tolist(), s.relations) for s in parser.parse(sentences, workers=workers)]

    assert in_threads([lambda: parse(1)] * 4) == [expected] * 4

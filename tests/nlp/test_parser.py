"""The parser as a whole: it learns, it is deterministic, its files come back, it goes on where it was stopped."""

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from nlp.command import main
from nlp.conll import Sentence, read_all, write_sentences
from nlp.deps import DependencyParser, ModelFileError, ParserError, PruningSettings
from oracles.sentences import invented_sentences

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}
# The gradient of risk vanishes as the temperature falls: steps should not be as small as it, and there should be more.
RISK = {"delta": 0.001, "learning_rate": 0.002, "epochs": 30, "forgetting": 0.0}


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
@pytest.mark.parametrize("objective", ["cll", "l2", "risk", "l2+risk"])
@pytest.mark.parametrize("order", [1, 2])
def test_it_learns_an_invented_language(order, objective, tree):
    sentences = invented_sentences(60)
    options = SMALL | (RISK if objective == "risk" else {})
    parser = DependencyParser(order=order, objective=objective, tree=tree, iterations=2, **options).fit(sentences[:50])
    assert parser.score(sentences[:50]).uas >= 99
    assert parser.score(sentences[50:]).uas >= 80


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
@pytest.mark.parametrize("objective", ["cll", "l2", "risk", "l2+risk"])
@pytest.mark.parametrize("order", [1, 2])
def test_it_memorises_50_real_sentences(order, objective, tree):
    from nlp.conll import is_projective

    treebank = read_all(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz")
    sentences = [s for s in treebank if 5 <= len(s) <= 16 and is_projective(s.heads)][:50]
    parser = DependencyParser(
        order=order, objective=objective, tree=tree, iterations=2, bits=20, l2=0.0, batch_size=2, average=False,
        pruning=PruningSettings(folds=1, bounds=False, epochs=10) if order == 2 else None,
        **(RISK if objective == "risk" else {"learning_rate": 0.01, "epochs": 16, "forgetting": 0.0}),
    )  # fmt: skip
    parser.fit(sentences)
    assert parser.score(sentences).uas >= 99


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
def test_belief_propagation_is_exact_for_first_order_on_real_sentences(tree):
    from hypergraph import marginals
    from hypergraph.structures import ProjectiveTrees
    from pgm.matrix_tree import tree_marginals

    sentences = read_all(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz")[:40]
    alone = {"order": 2, "grandparents": False, "siblings": False, "pruning": None}  # a factor graph of arcs and tree
    parser = DependencyParser(tree=tree, bits=18, epochs=1, learning_rate=0.2, **alone).fit(sentences)
    for sentence in sentences:
        parts, scores = parser._scores(sentence)
        matrix = parts.matrix(scores["arc"], -np.inf)
        if tree == "projective":
            expected = marginals(ProjectiveTrees(len(sentence), "one"), matrix)
        else:
            expected = tree_marginals(matrix, roots="one")
        np.testing.assert_allclose(parser.marginals(sentence), expected[:, 1:], atol=1e-10)


EXACT = {"inference": "exact", "siblings": False}


# The surrogate likelihood of a loopy model is no integral of its gradient: exact inference stands for it.
@pytest.mark.parametrize("options", [
    {"order": 1, "objective": "cll"}, {"order": 1, "objective": "cll", "tree": "nonprojective"},
    {"objective": "cll", **EXACT}, {"objective": "l2", **EXACT}, {"objective": "l2", "childseq": True},
    *({"order": order, "objective": objective, "tree": tree}
      for order in (1, 2) for objective in ("l2", "risk") for tree in ("projective", "nonprojective")),
], ids=str)  # fmt: skip
def test_gradients_of_the_whole_pipeline(options):
    """Features → scores → belief propagation → loss, against differences in every weight."""
    from nlp.deps.parts import Parts
    from nlp.deps.training import Example, _add_gradient
    from nlp.features import GradientBuffer

    sentence, objective = min(invented_sentences(5), key=len), options["objective"]
    parser = DependencyParser(bits=7, epochs=1, iterations=2, pruning=None, **options).fit([sentence])
    example = Example.of(sentence, Parts.all_arcs(len(sentence)), parser.model, objective)
    buffer = GradientBuffer(parser.scorer.slots)

    def loss(weights):
        value = _add_gradient(example, parser.scorer, parser.model, objective, 0.3, weights, buffer)
        indices, values = buffer.take()
        gradient = np.zeros(len(weights))
        gradient[indices] = values
        return value, gradient

    weights = parser.weights + 0.05 * np.random.default_rng(0).normal(size=len(parser.weights))
    _, found = loss(weights)
    steps = 1e-5 * np.eye(len(weights))
    expected = [(loss(weights + step)[0] - loss(weights - step)[0]) / 2e-5 for step in steps]
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_likelihood_gradient_is_expected_minus_observed_features():
    from nlp.deps.parts import Parts
    from nlp.deps.training import Example, _add_gradient
    from nlp.features import GradientBuffer

    sentences = invented_sentences(5)
    parser = DependencyParser(order=1, bits=14, epochs=1, learning_rate=0.2).fit(sentences)
    scorer, sentence = parser.scorer, sentences[0]
    weights = parser.weights.astype(np.float64)
    parts = Parts.all_arcs(len(sentence))
    buffer = GradientBuffer(scorer.slots)
    _add_gradient(Example.of(sentence, parts, parser.model, "cll"), scorer, parser.model, "cll", 0.1, weights, buffer)
    indices, values = buffer.take()
    found = np.zeros(scorer.slots)
    found[indices] = values
    features, offsets = scorer.prepare(sentence)["arc"].extract(parts.heads, parts.modifiers)
    beliefs = parser.marginals(sentence)[parts.heads, parts.modifiers - 1]
    observed = parts.indicator(np.concatenate([[-1], sentence.heads]))
    expected = np.bincount(features, np.repeat(beliefs - observed, np.diff(offsets)), minlength=scorer.slots)
    np.testing.assert_allclose(found, expected, atol=1e-6)  # parts of no weight are passed over


def test_marginals_sum_to_one_for_each_word():
    sentences = invented_sentences(20)
    parser = DependencyParser(order=1, **SMALL).fit(sentences)
    marginals = parser.marginals(sentences[0])
    assert marginals.shape == (len(sentences[0]) + 1, len(sentences[0]))
    np.testing.assert_allclose(marginals.sum(axis=0), 1.0)


def test_the_same_seed_gives_the_same_weights_and_another_does_not():
    sentences = invented_sentences(30)
    first, second, other = (DependencyParser(seed=seed, **SMALL).fit(sentences).weights.tobytes() for seed in (1, 1, 2))
    assert first == second != other


def test_files_come_back(tmp_path):
    sentences = invented_sentences(30)
    parser = DependencyParser(**SMALL).fit(sentences[:20], sentences[20:])
    parser.save(tmp_path / "model.tacana")
    loaded = DependencyParser.load(tmp_path / "model.tacana")
    assert loaded.describe() == parser.describe()
    for before, after in zip(parser.parse(sentences), loaded.parse(sentences), strict=True):
        assert before == after
    np.testing.assert_array_equal(parser.marginals(sentences[0]), loaded.marginals(sentences[0]))


def test_the_number_of_workers_changes_nothing():
    sentences = invented_sentences(40)
    parser = DependencyParser(**SMALL).fit(sentences[:10])
    assert parser.parse(sentences, workers=2) == parser.parse(sentences)


def test_a_run_can_be_taken_up_again_to_the_same_bytes(tmp_path):
    sentences = invented_sentences(30)
    options = {**SMALL, "patience": 99}
    whole = DependencyParser(**options).fit(sentences[:20], sentences[20:], save_to=tmp_path / "whole.tacana")

    class Stopped(Exception):
        pass

    def stop(line):
        if line.startswith("epoch 3"):
            raise Stopped

    with pytest.raises(Stopped):
        DependencyParser(**options).fit(sentences[:20], sentences[20:], save_to=tmp_path / "model.tacana", report=stop)
    assert (tmp_path / "model.tacana.checkpoint").exists()
    told = []
    again = DependencyParser(**options).fit(
        sentences[:20], sentences[20:], save_to=tmp_path / "model.tacana", resume=True, report=told.append
    )
    assert "resumed after epoch 3" in told
    assert again.weights.tobytes() == whole.weights.tobytes()
    assert (tmp_path / "model.tacana").read_bytes() == (tmp_path / "whole.tacana").read_bytes()
    assert not (tmp_path / "model.tacana.checkpoint").exists()
    with pytest.raises(Stopped):
        DependencyParser(**options).fit(sentences[:20], save_to=tmp_path / "model.tacana", report=stop)
    with pytest.raises(ModelFileError, match="checkpoint"):
        DependencyParser.load(tmp_path / "model.tacana.checkpoint")
    for changed in ({"epochs": 9}, {"seed": 1}):
        with pytest.raises(ParserError, match="other options or data"):
            DependencyParser(**{**options, **changed}).fit(
                sentences[:20], save_to=tmp_path / "model.tacana", resume=True
            )
    for data in ((sentences[1:21],), (sentences[:20], sentences[20:])):
        with pytest.raises(ParserError, match="other options or data"):
            DependencyParser(**options).fit(*data, save_to=tmp_path / "model.tacana", resume=True)
    with pytest.raises(ParserError, match="training is over"):
        DependencyParser(**options).fit(sentences[:20], sentences[20:], save_to=tmp_path / "whole.tacana", resume=True)


def test_a_killed_run_leaves_a_model_that_loads(tmp_path):
    write_sentences(invented_sentences(200), tmp_path / "train.conll")
    command = [sys.executable, "-m", "nlp.deps", "train", "--train", str(tmp_path / "train.conll"), "--model",
               str(tmp_path / "m.tacana"), "--epochs", "500", "--bits", "16", "--learning-rate", "0.1"]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "m.tacana").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    parser = DependencyParser.load(tmp_path / "m.tacana")
    assert len(parser.parse(invented_sentences(1))) == 1


def test_commands_from_treebank_to_score(tmp_path):
    sentences = invented_sentences(60)
    write_sentences(sentences[:50], tmp_path / "train.conll")
    with gzip.open(tmp_path / "test.conll.gz", "wb") as file:
        write_sentences(sentences[50:], file)
    run = CliRunner()
    model = str(tmp_path / "m.tacana")
    options = ["--bits", "16", "--epochs", "4", "--learning-rate", "0.02", "--dev-fraction", "0.1"]
    trained = run.invoke(main, ["train", "--train", str(tmp_path / "train.conll"), "--model", model, *options])
    assert trained.exit_code == 0, trained.output
    parsed = run.invoke(main, ["parse", "--model", model, str(tmp_path / "test.conll.gz")])
    assert parsed.exit_code == 0, parsed.output
    (tmp_path / "parsed.conll").write_bytes(parsed.stdout_bytes)
    scored = run.invoke(main, ["evaluate", str(tmp_path / "test.conll.gz"), str(tmp_path / "parsed.conll")])
    assert scored.exit_code == 0, scored.output
    assert "UAS" in scored.output
    about = run.invoke(main, ["info", model])
    assert about.exit_code == 0
    assert "order 2" in about.output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no training sentences"),
        ("1\ta\t_\tN\tN\t_\t_\t_\t_\t_\n\n", "head"),
        ("1\ta\t_\tN\tN\t_\t2\t_\t_\t_\n2\tb\t_\tN\tN\t_\t1\t_\t_\t_\n\n", "train.conll:1"),
        ("not a treebank\n", "train.conll:1"),
    ],
)
def test_bad_training_data_is_refused_in_one_line(tmp_path, text, message):
    (tmp_path / "train.conll").write_text(text)
    arguments = ["train", "--train", str(tmp_path / "train.conll"), "--model", str(tmp_path / "m.tacana")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "m.tacana").exists()


@pytest.mark.parametrize("contents", [b"", b"no model", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "])
def test_what_is_no_model_is_refused_in_one_line(tmp_path, contents):
    (tmp_path / "m.tacana").write_bytes(contents)
    with pytest.raises(ModelFileError):
        DependencyParser.load(tmp_path / "m.tacana")
    result = CliRunner().invoke(main, ["info", str(tmp_path / "m.tacana")])
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1


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


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    sentences = invented_sentences(20)
    write_sentences(sentences, folder / "train.conll")
    DependencyParser(**SMALL).fit(sentences).save(folder / "m.tacana")
    return folder


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_no_file_that_is_read_is_written_over(trained):
    model, train = trained / "m.tacana", trained / "train.conll"
    before = model.read_bytes(), train.read_bytes()
    assert run("train", "--train", train, "--model", train).exit_code == 2
    assert run("parse", "--model", model, train, "--output", model).exit_code == 2
    assert (model.read_bytes(), train.read_bytes()) == before


def test_links_and_devices_stay_what_they_are(trained, tmp_path):
    model, train = trained / "m.tacana", trained / "train.conll"
    (tmp_path / "link").symlink_to(tmp_path / "target")
    assert run("parse", "--model", model, train, "--output", tmp_path / "link").exit_code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").stat().st_size > 0
    os.mkfifo(tmp_path / "pipe")
    refused = run("train", "--train", train, "--model", tmp_path / "pipe")
    assert refused.exit_code == 2
    assert "plain file" in refused.stderr
    missing = run("parse", "--model", model, train, "--output", tmp_path / "nowhere" / "x")
    assert missing.exit_code == 2
    assert "no directory" in missing.stderr


def test_tags_that_the_model_does_not_know_are_told(trained, tmp_path):
    sentences = [Sentence.from_words(s.forms, tags=["?"] * len(s)) for s in invented_sentences(5)]
    write_sentences(sentences, tmp_path / "odd.conll")
    result = run("parse", "--model", trained / "m.tacana", tmp_path / "odd.conll")
    assert result.exit_code == 0
    assert "100 % of the tags" in result.stderr


def test_trees_that_do_not_fit_the_model_are_told():
    told = []
    crossing = Sentence.from_words(["a", "b", "c", "d"], tags=list("ABCD"), heads=[3, 4, 0, 3])
    DependencyParser(**SMALL).fit([*invented_sentences(3), crossing], report=told.append)
    assert any("1 of 4 training trees are not projective" in line for line in told)


@pytest.mark.parametrize("options", [["--threshold", "nan"], ["--dev-fraction", "nan"], ["--l2", "nan"]])
def test_numbers_that_are_none_are_refused_in_one_line(trained, options):
    result = run("train", "--train", trained / "train.conll", "--model", trained / "other.tacana", *options)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.parametrize("order", [1, 2])
def test_the_first_of_the_best_parses_is_the_parse(order):
    sentences = invented_sentences(20)
    parser = DependencyParser(order=order, **SMALL).fit(sentences)
    for sentence in sentences[:5]:
        found = parser.best_parses(sentence, 4)
        scores = [score for score, _ in found]
        assert scores == sorted(scores, reverse=True)
        assert len({heads.tobytes() for _, heads in found}) == len(found)
        if order == 2:
            assert found[0][1].tolist() == parser.heads(sentence).tolist()
    with pytest.raises(ParserError, match="projective"):
        DependencyParser(tree="nonprojective", **SMALL).fit(sentences[:3]).best_parses(sentences[0], 2)

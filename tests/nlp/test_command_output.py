"""What `parse` and `info` say, to the number."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

from nlp.command import main
from nlp.conll import write_sentences
from nlp.deps import DependencyParser
from oracles.sentences import invented_sentences


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.tacana"
    DependencyParser(order=1, bits=12, epochs=2).fit(invented_sentences(10)).save(path)
    return path


def test_parse_says_how_many_sentences_and_words(model, tmp_path, monkeypatch):
    import nlp.deps.parse_command as command

    clock = iter([100.0, 102.0])
    monkeypatch.setattr(command.time, "perf_counter", lambda: next(clock))
    sentences = invented_sentences(5)
    words = sum(map(len, sentences))
    write_sentences(sentences, tmp_path / "in.conll")
    result = CliRunner().invoke(main, ["parse", "--model", str(model), str(tmp_path / "in.conll")])
    assert result.exit_code == 0, result.output
    assert f"5 sentences, {words} words, {words / 2:.0f} words/s" in result.stderr


def test_info_counts_the_weights_that_are_not_zero(model):
    result = CliRunner().invoke(main, ["info", str(model)])
    weights = DependencyParser.load(model).model.scorer.weights.read()
    used = np.count_nonzero(weights)
    assert 0 < used < len(weights) != 2 * used
    assert re.search(rf"^weights: 4096, of which {used} are not 0$", result.output, re.MULTILINE)
    assert [line.split(":")[0] for line in result.output.splitlines() if line.startswith("epoch")] == [
        "epoch 1", "epoch 2",
    ]  # fmt: skip


@pytest.mark.parametrize(("options", "train", "dev"), [
    ([], 20, 0), (["--dev-fraction", "0.25"], 15, 5), (["--dev", "dev.conll"], 20, 7),
])  # fmt: skip
def test_train_says_how_the_sentences_are_shared_out(tmp_path, monkeypatch, options, train, dev):
    monkeypatch.chdir(tmp_path)
    write_sentences(invented_sentences(20), "train.conll")
    write_sentences(invented_sentences(7, seed=1), "dev.conll")
    small = ["--order", "1", "--bits", "10", "--epochs", "1"]
    result = CliRunner().invoke(main, ["train", "--train", "train.conll", "--model", "m.tacana", *small, *options])
    assert result.exit_code == 0, result.output
    assert f"{train} sentences to train on, {dev} for development" in result.stderr
    assert ("development " in result.stderr.replace("for development", "")) == (dev > 0)


def test_two_kinds_of_development_data_are_refused(tmp_path):
    result = CliRunner().invoke(
        main, ["train", "--train", "a", "--model", "b", "--dev", "c", "--dev-fraction", "0.1"]
    )  # fmt: skip
    assert result.exit_code == 2
    assert "not both" in result.stderr

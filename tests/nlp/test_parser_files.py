"""Models and checkpoints: they come back, a stopped run goes on to the same bytes, a killed one leaves a model."""

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
from nlp.conll import write_sentences
from nlp.deps import DependencyParser, ModelFileError, ParserError
from oracles.sentences import invented_sentences
from pgm.learning import TrainingError

ROOT = Path(__file__).parents[2]
SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}


def weights_of(parser):
    return [parameter.read().tobytes() for parameter in parser.model.scorer.parameters().values()]


def labelled(count):
    return [s.with_heads(s.heads, [f"of {tag}" for tag in s.tags]) for s in invented_sentences(count)]


def test_an_interrupt_after_resuming_leaves_the_best_weights_of_before(tmp_path):
    """Nothing gets better after the checkpoint: what is kept is from there."""
    sentences, options = labelled(20), {**SMALL, "order": 1, "epochs": 9, "patience": 99}

    def stop_at(epoch):
        def report(line):
            if line.startswith(epoch):
                raise KeyboardInterrupt

        return report

    parser = DependencyParser(**options)
    with pytest.raises(KeyboardInterrupt):
        parser.fit(sentences, sentences[:1], save_to=tmp_path / "m.tacana", report=stop_at("epoch 6"))
    best, again = weights_of(parser), DependencyParser(**options)
    with pytest.raises(KeyboardInterrupt):
        again.fit(sentences, sentences[:1], save_to=tmp_path / "m.tacana", resume=True, report=stop_at("epoch 7"))
    assert again.history.best < 6
    assert weights_of(again) == best


def test_the_same_seed_gives_the_same_weights_and_another_does_not():
    sentences = invented_sentences(30)
    first, second, other = (weights_of(DependencyParser(seed=seed, **SMALL).fit(sentences)) for seed in (1, 1, 2))
    assert first == second != other


@pytest.mark.parametrize("make", [invented_sentences, labelled])
def test_files_come_back(tmp_path, make):
    sentences = make(30)
    parser = DependencyParser(**SMALL).fit(sentences[:20], sentences[20:])
    parser.save(tmp_path / "model.tacana")
    loaded = DependencyParser.load(tmp_path / "model.tacana")
    assert loaded.describe() == parser.describe()
    for before, after in zip(parser.parse(sentences), loaded.parse(sentences), strict=True):
        assert before == after
    np.testing.assert_array_equal(parser.marginals(sentences[0]), loaded.marginals(sentences[0]))


def test_a_run_can_be_taken_up_again_to_the_same_bytes(tmp_path):
    sentences = labelled(30)
    options = {**SMALL, "patience": 99}
    whole = DependencyParser(**options).fit(sentences[:20], sentences[20:], save_to=tmp_path / "whole.tacana")
    assert len(whole.model.relations) == 5

    class Stopped(Exception):
        pass

    def stop(line):
        if line.startswith("epoch 4"):  # told before its checkpoint is written
            raise Stopped

    stopped = DependencyParser(**options)
    with pytest.raises(Stopped):
        stopped.fit(sentences[:20], sentences[20:], save_to=tmp_path / "model.tacana", report=stop)
    checkpoint = (tmp_path / "model.tacana.checkpoint").read_bytes()
    told = []
    stopped.fit(sentences[:20], sentences[20:], save_to=tmp_path / "model.tacana", resume=True, report=told.append)
    assert "resumed after epoch 3" in told
    assert weights_of(stopped) == weights_of(whole)
    (tmp_path / "model.tacana.checkpoint").write_bytes(checkpoint)
    assert (tmp_path / "model.tacana.checkpoint").exists()
    told = []
    again = DependencyParser(**options).fit(
        sentences[:20], sentences[20:], save_to=tmp_path / "model.tacana", resume=True, report=told.append
    )
    assert "resumed after epoch 3" in told
    assert weights_of(again) == weights_of(whole)
    assert (tmp_path / "model.tacana").read_bytes() == (tmp_path / "whole.tacana").read_bytes()
    assert not (tmp_path / "model.tacana.checkpoint").exists()
    with pytest.raises(Stopped):
        DependencyParser(**options).fit(sentences[:20], save_to=tmp_path / "model.tacana", report=stop)
    with pytest.raises(ModelFileError, match="checkpoint"):
        DependencyParser.load(tmp_path / "model.tacana.checkpoint")
    for changed in ({"epochs": 9}, {"seed": 1}):
        with pytest.raises(TrainingError, match="other options or data"):
            DependencyParser(**{**options, **changed}).fit(
                sentences[:20], save_to=tmp_path / "model.tacana", resume=True
            )
    for data in ((sentences[1:21],), (sentences[:20], sentences[20:])):
        with pytest.raises(TrainingError, match="other options or data"):
            DependencyParser(**options).fit(*data, save_to=tmp_path / "model.tacana", resume=True)
    with pytest.raises(TrainingError, match="training is over"):
        DependencyParser(**options).fit(sentences[:20], sentences[20:], save_to=tmp_path / "whole.tacana", resume=True)


def test_a_run_that_is_killed_after_its_first_model_goes_on(tmp_path, monkeypatch):
    sentences = invented_sentences(20)
    whole = DependencyParser(**SMALL).fit(sentences, save_to=tmp_path / "whole.tacana")

    class Killed(BaseException):
        pass

    save = DependencyParser.save

    def save_and_die(parser, path):
        save(parser, path)
        raise Killed

    monkeypatch.setattr(DependencyParser, "save", save_and_die)
    with pytest.raises(Killed):
        DependencyParser(**SMALL).fit(sentences, save_to=tmp_path / "model.tacana")
    monkeypatch.setattr(DependencyParser, "save", save)
    assert (tmp_path / "model.tacana").exists()
    again = DependencyParser(**SMALL).fit(sentences, save_to=tmp_path / "model.tacana", resume=True)
    assert weights_of(again) == weights_of(whole)
    assert (tmp_path / "model.tacana").read_bytes() == (tmp_path / "whole.tacana").read_bytes()


def test_a_model_that_has_learnt_nothing_is_told():
    told = []
    DependencyParser(**{**SMALL, "epochs": 1}, regularization=1e300).fit(invented_sentences(5), report=told.append)
    assert any("all weights are 0" in line for line in told)


def test_a_worker_that_dies_is_told(monkeypatch):
    sentences = invented_sentences(40)
    parser = DependencyParser(**{**SMALL, "order": 1, "epochs": 1}).fit(sentences)
    monkeypatch.setattr("nlp.deps.workers._analyse", _die)
    with pytest.raises(ParserError, match="one of 2 processes that parse was killed"):
        parser.parse(sentences, workers=2)


def _die(number):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_run_leaves_a_model_that_loads(tmp_path):
    write_sentences(invented_sentences(200), tmp_path / "train.conll")
    command = [sys.executable, "-m", "nlp.deps", "train", "--train", str(tmp_path / "train.conll"), "--model",
               str(tmp_path / "m.tacana"), "--epochs", "500", "--bits", "16", "--learning-rate", "0.1"]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "m.tacana").exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.3)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    parser = DependencyParser.load(tmp_path / "m.tacana")
    assert len(parser.parse(invented_sentences(1))) == 1


@pytest.mark.parametrize("contents", [b"", b"no model", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "])
def test_what_is_no_model_is_refused_in_one_line(tmp_path, contents):
    (tmp_path / "m.tacana").write_bytes(contents)
    with pytest.raises(ModelFileError):
        DependencyParser.load(tmp_path / "m.tacana")
    result = CliRunner().invoke(main, ["info", str(tmp_path / "m.tacana")])
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1

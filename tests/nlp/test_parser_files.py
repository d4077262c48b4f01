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

ROOT = Path(__file__).parents[2]
SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}


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
    assert again.weights.tobytes() == whole.weights.tobytes()
    assert (tmp_path / "model.tacana").read_bytes() == (tmp_path / "whole.tacana").read_bytes()


def test_a_model_that_has_learnt_nothing_is_told():
    told = []
    DependencyParser(**{**SMALL, "epochs": 1}, l2=1e300).fit(invented_sentences(5), report=told.append)
    assert any("all weights are 0" in line for line in told)


def test_a_worker_that_dies_is_told(monkeypatch):
    sentences = invented_sentences(40)
    parser = DependencyParser(**{**SMALL, "order": 1, "epochs": 1}).fit(sentences)
    monkeypatch.setattr("nlp.deps.workers._heads", _die)
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

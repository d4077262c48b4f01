"""The commands of the parser: from treebank to score, and one line for all that is wrong."""

import gzip
import os

import pytest
from click.testing import CliRunner

from nlp.command import main
from nlp.conll import Sentence, write_sentences
from nlp.deps import DependencyParser
from oracles.sentences import invented_sentences

SMALL = {"bits": 16, "learning_rate": 0.02, "epochs": 8}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    sentences = invented_sentences(20)
    write_sentences(sentences, folder / "train.conll")
    DependencyParser(**SMALL).fit(sentences).save(folder / "m.tacana")
    return folder


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_commands_from_treebank_to_score(tmp_path):
    sentences = [s.with_heads(s.heads, [f"of{tag}" for tag in s.tags]) for s in invented_sentences(60)]
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
    assert "LAS" in scored.output
    expected = DependencyParser.load(model).score(sentences[50:])
    assert expected.las > 75
    assert f"{expected.las:.2f}" in scored.output
    about = run.invoke(main, ["info", model])
    assert about.exit_code == 0
    assert "parts: order 2, labels sum" in about.output
    (line,) = [line for line in about.output.splitlines() if line.startswith("relations: 5")]
    assert set(line.split(": ")[2].split(", ")) == {f"of{tag}" for tag in "ADNPV"}


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


@pytest.mark.parametrize("options", [["--threshold", "nan"], ["--dev-fraction", "nan"], ["--regularization", "nan"]])
def test_numbers_that_are_none_are_refused_in_one_line(trained, options):
    result = run("train", "--train", trained / "train.conll", "--model", trained / "other.tacana", *options)
    assert result.exit_code == 2
    assert "Traceback" not in result.output

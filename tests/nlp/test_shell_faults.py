"""Faults of the outside world, provoked through a real shell: one line and an exit code, never a traceback."""

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from nlp.conll import Sentence, write_sentences
from nlp.deps import DependencyParser
from oracles.sentences import invented_sentences

ROOT = Path(__file__).parents[2]
PATIENCE = 1200  # seconds, after which something hangs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A treebank `train.conll` and a model `m.tacana` of it."""
    folder = tmp_path_factory.mktemp("faults")
    sentences = invented_sentences(12)
    write_sentences(sentences, folder / "train.conll")
    DependencyParser(order=1, bits=12, epochs=2).fit(sentences).save(folder / "m.tacana")
    odd = [Sentence.from_words(s.forms, tags=["?"] * len(s)) for s in invented_sentences(20)]
    write_sentences(odd * 500, folder / "long.conll")  # its tags are unknown, which is told before it is parsed
    return folder


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def shell(script, folder):
    """Run a script in which `tacana` is the command."""
    script = f'tacana() {{ "{sys.executable}" -m nlp.deps "$@"; }}\n{script}'
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )


TRAIN = "tacana train --train train.conll --order 1 --bits 12 --epochs 1"
LOOP = "ln -sf loop loop;"
MARKOV = ROOT / "tests" / "fixtures" / "markov.uai"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("tacana parse --model m.tacana train.conll > /dev/full", "tacana parse: standard output: No space left"),
        ("tacana parse --model m.tacana train.conll --output /dev/full", "tacana parse: /dev/full: No space left"),
        ("tacana info m.tacana > /dev/full", "tacana info: standard output: No space left"),
        (f"tacana infer {MARKOV} > /dev/full", "tacana infer: standard output: No space left"),
        ("tacana --help > /dev/full", "tacana: standard output: No space left"),
        ("tacana --version > /dev/full", "tacana: standard output: No space left"),
        ("tacana parse --model m.tacana /proc/self/mem", "tacana parse: /proc/self/mem: Input/output error"),
        ("ln -sf /proc/self/mem mem.uai; tacana infer mem.uai", "tacana infer: mem.uai: Input/output error"),
        (f"{TRAIN} --model new --templates /proc/self/mem", "tacana train: /proc/self/mem: Input/output error"),
        ("tacana evaluate train.conll train.conll > /dev/full", "tacana evaluate: standard output: No space left"),
        ("tacana parse --model m.tacana train.conll >&-", "tacana parse: standard output is closed"),
        ("tacana info m.tacana >&-", "tacana info: standard output: Bad file descriptor"),
        (f"tacana infer {MARKOV} >&-", "tacana infer: standard output: Bad file descriptor"),
        ("tacana evaluate train.conll train.conll >&-", "tacana evaluate: standard output: Bad file descriptor"),
        ("tacana parse --model m.tacana <&-", "tacana parse: <stdin>: Bad file descriptor"),
        ("tacana evaluate train.conll - <&-", "tacana evaluate: <stdin>: Bad file descriptor"),
        (f"{LOOP} tacana parse --model loop train.conll", "loop: Too many levels of symbolic links"),
        (f"{LOOP} tacana parse --model m.tacana loop", "loop: Too many levels of symbolic links"),
        (f"{LOOP} tacana parse --model m.tacana train.conll --output loop", "loop: Too many levels of symbolic links"),
        (f"{LOOP} {TRAIN} --model loop", "loop: Too many levels of symbolic links"),
        (f"{LOOP} tacana infer loop.uai; ln -sf l.uai l.uai; tacana infer l.uai", "l.uai: Too many levels"),
        (f"{TRAIN} --model new --regularization 1e308", "regularization is 1e+308: too large"),
        (f"{TRAIN} --model new --learning-rate 1e308", "training diverges"),
        ("tacana parse --model m.tacana /dev/zero", "/dev/zero:1: a line of more than 1048576 bytes"),
        ("tacana parse --model /dev/zero train.conll", "/dev/zero is not a plain file"),
        ("tacana evaluate /dev/zero train.conll", "/dev/zero:1: a line of more than"),
        (f"{TRAIN} --model new --templates /dev/zero", "/dev/zero: larger than 16777216 bytes"),
        ("ln -sf /dev/zero zero.uai; tacana infer zero.uai", "zero.uai:1: larger than 268435456 bytes"),
        ("yes '' | tacana parse --model m.tacana", "more than 100000 lines of one sentence"),
        ("yes '# comment' | tacana parse --model m.tacana", "more than 100000 lines of one sentence"),
        ("truncate -s 2G sparse; tacana parse --model m.tacana sparse", "sparse:1: more than 500 MB"),
        ("tacana parse --model m.tacana train.conll --max-megabytes 0.001", "train.conll:1: more than 0.001 MB"),
    ],
)
def test_one_line_and_two(folder, script, message):
    result = shell(script, folder)
    lines = result.stderr.strip().splitlines()
    assert message in lines[-1], result.stderr
    about = ("tacana ", "tacana: ", "roots: ")
    assert all(line.startswith(about) or "sentences to train on" in line for line in lines), lines
    assert result.returncode == 2
    assert not (folder / "new").exists()


def test_gzip_bombs_are_refused(folder):
    (folder / "blank.gz").write_bytes(gzip.compress(b"\n" * 10**7, 1) * 100)
    word = b"1\ta\t_\tN\tN\t_\t0\t_\t_\t_\n\n"
    (folder / "words.gz").write_bytes(gzip.compress(word * 10**6, 1) * 40)
    for name in ("blank.gz", "words.gz"):
        result = shell(f"tacana parse --model m.tacana {name}", folder)
        assert (result.returncode, result.stdout) == (2, ""), result.stderr
        assert result.stderr == (
            f"tacana parse: {name}:1: more than 500 MB; expected a smaller file, or a higher limit (--max-megabytes)\n"
        )


def test_a_reader_that_has_had_enough(folder):
    result = shell("tacana parse --model m.tacana long.conll | head -1; echo ${PIPESTATUS[0]}", folder)
    first, code = result.stdout.splitlines()
    assert first.startswith("1\t")
    assert code == "1"
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr


def test_standard_error_may_be_closed(folder):
    result = shell(f"{TRAIN} --model quiet 2>&- && tacana parse --model quiet train.conll 2>&-", folder)
    assert result.returncode == 0
    assert result.stdout.startswith("1\t")


def test_a_limit_on_the_size_of_files_keeps_the_old_model(folder):
    before = (folder / "m.tacana").read_bytes()
    result = shell(f"ulimit -f 8; {TRAIN} --model m.tacana", folder)
    assert result.returncode == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith("tacana train: m.tacana"), result.stderr
    assert "File too large" in last
    assert "Traceback" not in result.stderr
    assert (folder / "m.tacana").read_bytes() == before
    assert not list(folder.glob(".*.tmp"))


def interrupted(arguments, folder, delay, first_line):
    """Start a command, wait for a line of it, wait on, press Ctrl-C as a terminal does; the code and what was said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "nlp.deps", *arguments], cwd=folder, env=environment(), text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        while first_line not in (line := process.stderr.readline()):
            assert line, "the command ended"
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    return 128 - process.returncode if process.returncode < 0 else process.returncode, said  # as a shell has it


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupting_parse(folder, workers):
    rng = np.random.default_rng(workers)
    for _ in range(4):
        arguments = ["parse", "--model", "m.tacana", "long.conll", "--workers", str(workers)]
        code, said = interrupted(arguments, folder, rng.uniform(0, 0.5), "are unknown to the model")
        assert said == "tacana parse: interrupted\n"
        assert code == 130


def test_interrupting_train(folder):
    rng = np.random.default_rng(0)
    write_sentences(invented_sentences(200), folder / "trees.conll")
    for number in range(6):
        arguments = ["train", "--train", "trees.conll", "--model", f"stopped{number}", "--bits", "12", "--epochs", "99"]
        code, said = interrupted(arguments, folder, rng.uniform(0, 1.5), "sentences to train on")
        assert code == 130, said
        assert said.splitlines()[-1].startswith("tacana train: stopped; ")
        assert "Traceback" not in said
        assert "Exception ignored" not in said
        assert not list(folder.glob(".*.tmp"))

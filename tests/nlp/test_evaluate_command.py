"""`tacana evaluate`: tables on standard output; one line and 2 for what is wrong."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from nlp.command import main
from nlp.conll import read_all, write_sentences

ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
GOLD = FIXTURES / "goats.conll"


def evaluate(*arguments: object, stdin: bytes | None = None):
    return CliRunner().invoke(main, ["evaluate", *map(str, arguments)], input=stdin, catch_exceptions=False)


@pytest.fixture
def parsed(tmp_path):
    first, second, third = read_all(GOLD)
    write_sentences([first.with_heads([2, 3, 0, 3, 4]), second, third], tmp_path / "parsed.conll.gz")
    return tmp_path / "parsed.conll.gz"


def test_scores(parsed):
    result = evaluate(GOLD, parsed)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert "all words               15   93.33   93.33" in result.stdout
    assert "without punctuation     12  100.00  100.00" in result.stdout
    assert "exact match                  2 of 3   66.67" in result.stdout
    assert "CLAS" not in result.stdout


def test_subtypes(tmp_path):
    (tree,) = read_all(FIXTURES / "ducks.conllu")[:1]
    cut = tree.with_heads(tree.heads, [relation.partition(":")[0] + ":x" for relation in tree.relations])
    write_sentences([tree], tmp_path / "gold.conllu")
    write_sentences([cut], tmp_path / "parsed.conllu")
    for options, las in (((), "0.00"), (("--no-subtypes",), "100.00")):
        result = evaluate(tmp_path / "gold.conllu", tmp_path / "parsed.conllu", *options)
        assert result.exit_code == 0, result.stderr
        assert f"5  100.00  {las}\nwithout" in result.stdout
        assert f"{las}\n\narc length" in result.stdout  # of CLAS


def test_two_outputs(parsed):
    result = evaluate(GOLD, parsed, GOLD, "--rounds", 99, "--seed", 3)
    assert result.exit_code == 0, result.stderr
    assert str(parsed) in result.stdout
    tests = result.stdout.rstrip().splitlines()[-4:]
    assert tests[0] == "UAS 93.33 and 100.00: difference +6.67, p = 1 (99 permutations)"
    assert [test.split(" 1")[0].split(" 9")[0] for test in tests] == [
        "UAS",
        "UAS without punctuation",
        "LAS",
        "LAS without punctuation",
    ]
    assert evaluate(GOLD, parsed, GOLD, "--rounds", 99, "--seed", 3).stdout == result.stdout


def test_standard_input(parsed):
    data = gzip.decompress(parsed.read_bytes())
    for stdin in (data, parsed.read_bytes()):
        assert evaluate(GOLD, "-", stdin=stdin).stdout == evaluate(GOLD, parsed).stdout


def test_bad_input_is_one_line(parsed, tmp_path):
    (tmp_path / "cycle.conll").write_text(GOLD.read_text().replace("\t2\tdet", "\t1\tdet"))
    (tmp_path / "broken.gz").write_bytes(parsed.read_bytes()[:-9])
    (tmp_path / "empty").write_bytes(b"")
    for arguments, message in (
        ((GOLD, tmp_path / "nothing"), "nothing: No such file or directory"),
        ((GOLD, tmp_path), "Is a directory"),
        ((GOLD, FIXTURES / "ducks.conllu"), "word 1 of sentence 1 is 'Ducks'; expected 'Two'"),
        ((GOLD, parsed, FIXTURES / "ducks.conllu"), "word 1 of sentence 1 is 'Ducks'; expected 'Two'"),
        ((tmp_path / "cycle.conll", GOLD), "cycle.conll:1: a cycle of heads"),
        ((GOLD, tmp_path / "broken.gz"), "broken gzip"),
        ((GOLD, ROOT / "LICENSE"), "LICENSE:2: 1 column; expected"),
        ((tmp_path / "empty", tmp_path / "empty"), "no sentences to evaluate"),
        ((GOLD, tmp_path / "empty"), "the predicted one has only 0"),
        (("-", "-"), "only one of the files can be standard input"),
    ):
        result = evaluate(*arguments, stdin=b"")
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith("tacana evaluate: ")
        assert result.stderr.count("\n") == 1
        assert message in result.stderr


def test_the_command_is_light():
    code = "import sys, nlp.command, nlp.evaluate_command; print('numba' in sys.modules, 'numpy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.split() == ["False", "False"]


def test_evaluating_compiles_nothing(parsed):
    run = "import sys; from nlp.command import main; main(sys.argv[1:], standalone_mode=False)"
    code = f"{run}; print('numba' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code, "evaluate", str(GOLD), str(parsed)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert result.stdout.split()[-1] == "False"

"""`tacana infer`: answers on standard output, a summary on standard error, one line and 2 for what is wrong."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pgm import BeliefPropagation
from pgm.exact import BruteForce, JunctionTree
from pgm.files import read_evidence, read_map, read_mar, read_model, read_pr
from pgm.schedules import BY_NAME
from pgm.shell.command import main
from pgm.shell.infer_command import infer as infer_command

FIXTURES = Path(__file__).parent.parent / "fixtures"
MODELS = ["markov.uai", "gaps.fg", "weather.bif"]


def infer(*arguments: object):
    return CliRunner().invoke(main, ["infer", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def answer(tmp_path):
    def parse(reader, result):
        assert result.exit_code == 0, result.stderr
        (tmp_path / "answer").write_text(result.stdout)
        return reader(tmp_path / "answer")

    return parse


@pytest.mark.parametrize("method", ["junction", "brute"])
@pytest.mark.parametrize("name", MODELS)
def test_exact(name, method, answer):
    graph = read_model(FIXTURES / name)
    exact = BruteForce().run(graph)
    found = answer(read_mar, infer(FIXTURES / name, "--method", method))
    for belief, expected in zip(found, exact.beliefs, strict=True):
        np.testing.assert_allclose(belief, expected, atol=1e-11)
    pr = answer(read_pr, infer(FIXTURES / name, "--method", method, "--task", "PR"))
    assert pr == pytest.approx(exact.log_partition, abs=1e-10)
    best = answer(read_map, infer(FIXTURES / name, "--method", method, "--task", "MAP"))
    assert graph.score(best) == pytest.approx(BruteForce().maximum(graph).score)


@pytest.mark.parametrize("name", ["gaps.fg"])  # a tree: belief propagation is exact
def test_belief_propagation(name, answer):
    graph = read_model(FIXTURES / name)
    exact = BruteForce().run(graph)
    result = infer(FIXTURES / name)
    for belief, expected in zip(answer(read_mar, result), exact.beliefs, strict=True):
        np.testing.assert_allclose(belief, expected, atol=1e-9)
    assert result.stderr.startswith(
        "gaps.fg: 2 variables of up to 3 states, 2 factors of up to 2 variables, 0 observed"
    )
    assert "converged after" in result.stderr
    assert answer(read_pr, infer(FIXTURES / name, "--task", "PR")) == pytest.approx(exact.log_partition, abs=1e-9)
    best = answer(read_map, infer(FIXTURES / name, "--task", "MAP"))
    assert graph.score(best) == pytest.approx(BruteForce().maximum(graph).score)


@pytest.mark.parametrize("schedule", BY_NAME)
def test_schedules(schedule, answer):
    graph = read_model(FIXTURES / "gaps.fg")
    found = answer(read_mar, infer(FIXTURES / "gaps.fg", "--schedule", schedule))
    for belief, expected in zip(found, BruteForce().run(graph).beliefs, strict=True):
        np.testing.assert_allclose(belief, expected, atol=1e-9)


def test_not_converged_is_said():
    assert "NOT converged after 1 iterations" in infer(FIXTURES / "markov.uai", "--iterations", 1).stderr


def test_evidence(answer):
    model, evidence = FIXTURES / "markov.uai", FIXTURES / "markov.uai.evid"
    graph = read_model(model)
    expected = BruteForce().run(graph, evidence=read_evidence(evidence, graph))
    for method in ("bp", "junction", "brute"):
        result = infer(model, "--evidence", evidence, "--task", "PR", "--method", method)
        assert answer(read_pr, result) == pytest.approx(expected.log_partition, abs=1e-9)
        assert "2 observed" in result.stderr


def test_defaults_are_those_of_python(tmp_path):
    defaults = {option.name: option.default for option in infer_command.params}
    bp = BeliefPropagation()
    assert (defaults["iterations"], defaults["tolerance"], defaults["damping"]) == (100, 1e-8, 0.0)
    assert (bp.iterations, bp.tolerance, bp.damping) == (100, 1e-8, 0.0)
    assert BY_NAME[defaults["schedule"]] == bp.schedule
    assert defaults["budget"] * 2**30 == JunctionTree().budget
    path = tmp_path / "pair.uai"
    path.write_text("MARKOV 2 2 2 1  2 0 1  4 1 2 3 4")
    assert "converged after 2 iterations" in infer(path).stderr


def test_junction_reports_its_treewidth():
    assert "treewidth 2" in infer(FIXTURES / "markov.uai", "--method", "junction").stderr


BINARY = "MARKOV 30 " + "2 " * 30


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("missing.uai", None, [], "No such file"),
        ("model.txt", "MARKOV", [], "tells no format"),
        ("model.uai", "MARKOV\n1\n2\n1\n1 0\n2 1 x\n", [], "model.uai:6: 'x'; expected 2 potentials of factor 0"),
        ("model.uai", "MARKOV 1 2 1  1 0  2 0 0", [], "allows nothing|impossible|contradict|satisf"),
        ("model.uai", "MARKOV 1 2 1  1 0  2 0 0", ["--method", "junction"], "allows nothing"),
        ("model.uai", "MARKOV 1 2 1  1 0  2 0 0", ["--method", "brute", "--task", "MAP"], "allows nothing"),
        ("model.uai", BINARY + "0", ["--method", "brute"], "30 free variables have about 1e9 assignments"),
        ("model.uai", BINARY + "0", ["--method", "junction", "--budget", "0"], "the budget is 0 bytes"),
        ("model.uai", "MARKOV 1 2 0", ["--method", "bp", "--task", "MAP"], "bp does not find MAP; use one of bp-max"),
        ("model.uai", "MARKOV 1 2 0", ["--evidence", "nothing.evid"], "nothing.evid: No such file"),
    ],
)
def test_bad_input_is_one_line_and_two(name, text, options, message, tmp_path):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    result = infer(path, *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert re.search(message, result.stderr), result.stderr


def test_a_directory_is_no_model(tmp_path):
    (tmp_path / "folder.uai").mkdir()
    result = infer(tmp_path / "folder.uai")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1

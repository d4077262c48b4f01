"""The programs in `examples/` run, each with its small setting, and show what their docstrings say."""

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hypergraph import kbest

FOLDER = Path(__file__).resolve().parent.parent / "examples"
FILES = sorted(FOLDER.glob("*.py"))


def load(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"examples_{name}", FOLDER / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_there_are_five():
    assert len(FILES) == 5


def test_learning_through_few_iterations_makes_fewer_errors_than_likelihood():
    wrong = load("denoising_grid").main()
    assert wrong["l2"] < wrong["cll"] - 0.003 < 0.25


def test_the_tagger_learns():
    assert load("chain_tagger").main() > 85


def test_the_aligner_learns_from_alignments_and_from_half_of_them():
    scores = load("itg_aligner").main()
    assert scores["likelihood"] > 90
    assert scores["marginal likelihood"] > 80


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 4)])
def test_alignments_have_one_derivation_each_which_their_links_tell(n, m):
    aligner = load("itg_aligner")
    one, every = (aligner.InversionTransduction(n, m, unique) for unique in (True, False))
    derivations = kbest(one, np.zeros(one.num_weights), k=10_000)
    links = [frozenset(one.decode(derivation)) for derivation in derivations]
    assert len(set(links)) == len(links)
    for derivation, decoded in zip(derivations, links, strict=True):
        assert sorted(one.weights_of(decoded)) == sorted(derivation.weights)
    several = [every.decode(derivation) for derivation in kbest(every, np.zeros(every.num_weights), k=10_000)]
    assert set(map(frozenset, several)) == set(links)


def test_the_parser_learns_relations_and_comes_back_from_its_file():
    before, after, loaded = load("labelled_parser").main()
    assert min(*before, *after) > 75
    assert loaded == after


def test_the_constraint_makes_more_trees_right():
    results = load("grammar_with_constraint").main()
    (right, focused), (right_alone, focused_alone) = results["constraint"], results["grammar alone"]
    assert right > right_alone + 0.05
    assert focused > 0.9 > focused_alone


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_example_needs_a_class_of_its_own_but_for_structures(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            assert [ast.unparse(base) for base in node.bases] == ["Structure"], f"{path.name}: class {node.name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_example_uses_the_one_learning_stack_and_says_what_came_out(path):
    text = path.read_text(encoding="utf-8")
    assert "Trainer(" in text
    assert "autodiff.optimizers import" in text
    assert f"python examples/{path.name} --full" in text
    assert "FULL_RESULT" not in text
    assert len(text.splitlines()) <= 175

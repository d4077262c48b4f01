"""Real models written by others: they load, and exact answers agree with the published ones.

The models are beside the repository, not in it: without them these tests are skipped.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from pgm import TooLargeError
from pgm.exact import JunctionTree
from pgm.files import read_bif, read_evidence, read_fg, read_map, read_mar, read_model, read_pr, read_uai
from pgm.map import LinearProgram

MODELS = Path(__file__).parent.parent.parent.parent / "shared" / "models"
pytestmark = pytest.mark.skipif(not MODELS.is_dir(), reason="the models of others are not at ../shared/models")

UAI = [
    "Alchemy_11",
    "CSP_12",
    "DBN_11",
    "Grids_11",
    "ObjectDetection_28",
    "Pedigree_11",
    "Promedus_24",
    "Segmentation_12",
]
BIF = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance"]
FG = ["alarm", "hoi1", "jtreemapbug", "maxprodbug", "testfast", "twofactors", "zeroes1"]
WIDE = "ObjectDetection_28"  # 4.9 GiB and 15 s

PRINTED = 6  # significant digits of the published .PR and .MAR files


def answers(path: Path):
    return json.loads(path.read_text())


def uai(name: str):
    graph = read_uai(MODELS / f"uai2014/{name}.uai")
    return graph, read_evidence(MODELS / f"uai2014/{name}.uai.evid", graph)


def close_as_printed(found: float, printed: float) -> bool:
    """Whether the one number, printed with six significant digits, gives the other."""
    unit = 10.0 ** (np.floor(np.log10(abs(printed))) - PRINTED + 1) if printed else 10.0**-PRINTED
    return abs(found - printed) <= 0.501 * unit


def test_every_file_loads():
    found = [path for path in MODELS.rglob("*") if path.name.removesuffix(".gz").endswith((".uai", ".fg", ".bif"))]
    assert len(found) >= len(UAI) + len(BIF) + len(FG)
    for path in found:
        graph = read_model(path)
        assert graph.num_variables > 0
        for suffix, reader in ((".MAR", read_mar), (".MAP", read_map)):
            if (answer := path.with_name(path.name + suffix)).exists():
                assert len(reader(answer)) == graph.num_variables


def check_uai(name: str, budget: int) -> None:
    graph, evidence = uai(name)
    exact = JunctionTree(budget=budget).run(graph, evidence=evidence)
    published = read_pr(MODELS / f"uai2014/{name}.uai.PR") / np.log(10)
    assert close_as_printed(exact.log_partition / np.log(10), published)
    for found, expected in zip(exact.beliefs, read_mar(MODELS / f"uai2014/{name}.uai.MAR"), strict=True):
        np.testing.assert_allclose(found, expected, atol=5.01e-7)
    best = JunctionTree(budget=budget).maximum(graph, evidence=evidence)
    values = answers(MODELS / "uai2014/map_values.json")[f"{name}.uai"]
    assert values["proved"]
    assert best.score == pytest.approx(values["toulbar2_value"], rel=1e-9)
    assert graph.score(read_map(MODELS / f"uai2014/{name}.uai.MAP")) == pytest.approx(values["file_value"], rel=1e-9)


@pytest.mark.parametrize("name", [name for name in UAI if name != WIDE])
def test_uai_2014(name):
    check_uai(name, budget=1 << 30)


def test_the_widest_is_refused_politely():
    graph, evidence = uai(WIDE)
    with pytest.raises(TooLargeError, match=r"needs 4\.9 GiB, but the budget is 2\.0 GiB \(treewidth 7"):
        JunctionTree().run(graph, evidence=evidence)


@pytest.mark.slow
def test_the_widest_fits_in_six_gigabytes():
    check_uai(WIDE, budget=6 << 30)


@pytest.mark.parametrize("name", UAI)
def test_the_linear_program_bounds_the_optimum(name):
    graph, evidence = uai(name)
    result = LinearProgram().run(graph, evidence=evidence)
    optimum = answers(MODELS / "uai2014/map_values.json")[f"{name}.uai"]["toulbar2_value"]
    assert result.bound >= optimum - 1e-6
    assert result.score <= optimum + 1e-6
    assert result.integral == (name in ("Alchemy_11", "ObjectDetection_28", "Promedus_24", "Segmentation_12"))
    if result.integral:
        assert result.score == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("name", FG)
def test_libdai(name):
    graph = read_fg(MODELS / f"libdai/{name}.fg")
    expected = answers(MODELS / "libdai/answers.json")[f"{name}.fg"]
    exact = JunctionTree().run(graph)
    assert exact.log_partition == pytest.approx(expected["logZ"], rel=1e-10, abs=1e-10)
    assert [graph.variable_at(i).name for i in range(graph.num_variables)] == [str(v) for v in expected["variables"]]
    for found, marginal in zip(exact.beliefs, expected["marginals"], strict=True):
        np.testing.assert_allclose(found, marginal, atol=1e-10)


@pytest.mark.parametrize("name", BIF)
def test_bif(name):
    graph = read_bif(MODELS / f"bif/{name}.bif.gz")
    if name == "child":  # no answers by others; its conditional tables must sum to 1, and its odd state must be there
        assert "Asy/Patch" in graph["ChestXray"].states
        assert JunctionTree().run(graph).log_partition == pytest.approx(0.0, abs=1e-12)
        return
    expected = answers(MODELS / f"bif/{name}.answers.json")
    for variable, states in expected["labels"].items():
        assert list(graph[variable].states) == states
    for query in expected["queries"]:  # computed with tables in single precision
        exact = JunctionTree().run(graph, evidence=query["evidence"])
        assert exact.log_partition == pytest.approx(query["log_evidence"], abs=5e-7)
        for variable, marginal in query["marginals"].items():
            np.testing.assert_allclose(exact.belief(graph[variable]), marginal, atol=5e-8)

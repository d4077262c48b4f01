"""Model files: what they say, and there and back again."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from oracles.table_graphs import random_table_graph
from pgm import FactorGraph, FileFormatError, PotentialError, TooLargeError
from pgm.exact import BruteForce
from pgm.factors import ExactlyOne, Table
from pgm.files import (
    read_bif,
    read_evidence,
    read_fg,
    read_map,
    read_mar,
    read_model,
    read_pr,
    read_uai,
    write_evidence,
    write_fg,
    write_map,
    write_mar,
    write_pr,
    write_uai,
)

FIXTURES = Path(__file__).parent.parent / "fixtures"


def test_uai():
    graph = read_uai(FIXTURES / "markov.uai")
    assert graph.cardinalities.tolist() == [2, 3, 2]
    assert graph["2"].index == 2
    assert [family.variables.tolist() for family in graph.families] == [[[0]], [[0, 1]], [[2, 1, 0]], [[0]]]
    assert np.exp(graph.families[1].log_potentials[0, 1]) == pytest.approx([0.5, 1e-3, 4.0])  # the last runs fastest
    assert np.exp(graph.score([1, 2, 0])) == pytest.approx(0.75 * 4 * 6 * 2)
    assert graph.score([1, 2, 1]) == -np.inf


def test_neighbours_of_one_shape_are_a_family_and_the_order_is_kept(tmp_path):
    path = tmp_path / "model.uai"
    path.write_text("MARKOV 2 2 2 4  1 0  1 1  2 1 0  1 0   2 1 2  2 3 4  4 1 2 3 4  2 5 6")
    graph = read_uai(path)
    assert [family.variables.tolist() for family in graph.families] == [[[0], [1]], [[1, 0]], [[0]]]


def test_fg():
    graph = read_fg(FIXTURES / "gaps.fg")
    assert [graph.variable_at(i).name for i in range(2)] == ["3", "7"]
    assert graph.cardinalities.tolist() == [3, 2]
    table = graph.families[0]
    assert table.variables.tolist() == [[1, 0]]
    np.testing.assert_allclose(np.exp(table.log_potentials[0]), [[0.5, 0.0, 0.0], [2.0, 1.0, 0.25]])


def test_bif():
    graph = read_bif(FIXTURES / "weather.bif")
    assert graph["sky"].states == ("clear", "Asy/Patch", ">=7.5")
    sky, rain, wet = (np.exp(family.log_potentials[0]) for family in graph.families)
    np.testing.assert_allclose(sky, [0.5, 0.3, 0.2])
    np.testing.assert_allclose(rain, [[0.95, 0.05], [0.8, 0.2], [0.4, 0.6]])
    np.testing.assert_allclose(wet[..., 1], [[0.0, 0.1, 0.2], [0.7, 0.8, 0.9]])
    result = BruteForce().run(graph, evidence={"wet": "yes"})
    assert np.exp(result.log_partition) == pytest.approx(0.01 * 3 + 0.0175 + 0.024 + 0.048 + 0.016 + 0.108 - 0.03)


@pytest.mark.parametrize("ending", ["uai", "fg", "uai.gz", "fg.gz"])
def test_there_and_back(ending, tmp_path):
    path = tmp_path / f"model.{ending}"
    for seed in range(10):
        graph = random_table_graph(np.random.default_rng(seed), variables=5, factors=8, zeros=0.3)
        for v in range(5):  # .fg has no variables without factors
            graph.add(Table([graph.variable_at(v)], np.zeros(graph.cardinalities[v])))
        (write_uai if "uai" in ending else write_fg)(graph, path)
        again = read_model(str(path))
        assert again.cardinalities.tolist() == graph.cardinalities.tolist()
        assert again.num_factors == graph.num_factors
        rng = np.random.default_rng(seed)
        for _ in range(20):
            assignment = rng.integers(graph.cardinalities)
            assert again.score(assignment) == pytest.approx(graph.score(assignment), abs=1e-12)
    first = path.read_bytes()
    (write_uai if "uai" in ending else write_fg)(graph, path)
    assert path.read_bytes() == first


def test_hard_factors_are_written_as_tables_and_bayes_keeps_its_name(tmp_path):
    graph = FactorGraph()
    graph.add(ExactlyOne(graph.variables("x", 3)))
    write_uai(graph, tmp_path / "x.uai", kind="BAYES")
    assert (tmp_path / "x.uai").read_text().startswith("BAYES\n3\n2 2 2\n1\n3 0 1 2\n")
    assert np.exp(read_uai(tmp_path / "x.uai").families[0].log_potentials).sum() == 3.0
    with pytest.raises(ValueError, match="MARKOV"):
        write_uai(graph, tmp_path / "x.uai", kind="markov")
    graph.add(ExactlyOne(graph.variables("y", 40)))
    with pytest.raises(TooLargeError, match="40 unobserved"):
        write_uai(graph, tmp_path / "x.uai")


@pytest.mark.parametrize("value", [1e4, -1e4])
@pytest.mark.parametrize("write", [write_uai, write_fg])
def test_what_a_file_cannot_hold_is_refused(write, value, tmp_path):
    graph = FactorGraph()
    graph.add(Table([graph.variable("x")], [0.0, value]))
    with pytest.raises(PotentialError, match=r"log-potential of -?10000"):
        write(graph, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_evidence(tmp_path):
    graph = read_uai(FIXTURES / "markov.uai")
    assert read_evidence(FIXTURES / "markov.uai.evid", graph) == {1: 2, 2: 0}
    assert read_evidence(FIXTURES / "samples.evid", graph, sample=0) == {0: 1}
    assert read_evidence(FIXTURES / "samples.evid", graph, sample=1) == {1: 2, 2: 0}
    with pytest.raises(FileFormatError, match=r"samples.evid:1: the file holds 2 samples"):
        read_evidence(FIXTURES / "samples.evid", graph)
    for text, expected in {"": {}, "0": {}, "1\n0": {}, "1\n1 0 1": {0: 1}, "1 0 1": {0: 1}}.items():
        (tmp_path / "x.evid").write_text(text)
        assert read_evidence(tmp_path / "x.evid", graph) == expected
    write_evidence({"1": 2, 0: 1}, tmp_path / "x.evid.gz", graph)
    assert gzip.decompress((tmp_path / "x.evid.gz").read_bytes()) == b"2 1 2 0 1\n"
    assert read_evidence(tmp_path / "x.evid.gz", graph) == {1: 2, 0: 1}


def test_evidence_on_labels_with_gaps_and_on_names(tmp_path):
    (tmp_path / "x.evid").write_text("1 7 1")
    assert read_evidence(tmp_path / "x.evid", read_fg(FIXTURES / "gaps.fg")) == {1: 1}
    (tmp_path / "x.evid").write_text("2 wet yes 0 1")
    assert read_evidence(tmp_path / "x.evid", read_bif(FIXTURES / "weather.bif")) == {2: 1, 0: 1}


def test_answers_there_and_back(tmp_path):
    path = tmp_path / "answer"
    beliefs = [np.array([0.25, 0.75]), np.array([1.0]), np.array([1e-9, 0.1, 0.899999999])]
    write_mar(beliefs, path)
    for found, expected in zip(read_mar(path), beliefs, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11)
    write_pr(-123.456, path)
    assert read_pr(path) == pytest.approx(-123.456, rel=1e-11)
    write_map(np.array([3, 0, 1]), path)
    assert read_map(path).tolist() == [3, 0, 1]


GOOD = {path.name: path.read_text() for path in FIXTURES.iterdir()}


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("markov.uai", ("MARKOV", "MARKOW"), r":1: 'MARKOW'; expected MARKOV or BAYES"),
        ("markov.uai", ("2 3 2", "2 0 2"), r":3: '0'; expected the number of states"),
        ("markov.uai", ("2 3 2", "2 999999999 2"), r":3: 1000000003 states in all"),
        ("markov.uai", ("\n4\n", "\n4000000000\n"), r":4: '4000000000'; expected the number of factors"),
        ("markov.uai", ("2 0 1", "2 0 3"), r":6: '3'; expected the variables of factor 1.*from 0 to 2"),
        ("markov.uai", ("2 0 1", "2 0 0"), r":6: factor 1 has a variable twice"),
        ("markov.uai", ("6\n", "5\n"), r":13: factor 1 has 5 entries; expected 6: .*\[2, 3\] states"),
        ("markov.uai", ("0.75", "-0.75"), r":11: '-0.75'; expected 2 potentials of factor 0, finite and not negative"),
        ("markov.uai", ("0.75", "nan"), r":11: 'nan'; expected 2 potentials"),
        ("markov.uai", ("0.75", "inf"), r":11: 'inf'"),
        ("markov.uai", ("0.75", "1_0"), r":11: '1_0'"),
        ("markov.uai", (" 2.5\n", " two\n"), r":14: 'two'"),
        ("markov.uai", ("2.0", ""), r":21: the file ends here; expected 1 potentials of factor 3"),
        ("markov.uai", ("2.0", "2.0 3.0"), r":22: '3.0' after the end; expected nothing"),
        ("gaps.fg", ("2 3\n", "2 3 3\n"), r":10: the places of the entries of factor 0"),
        ("gaps.fg", ("3 1.0", "9 1.0"), r":11: the places of the entries of factor 0; expected .* 0 to 5"),
        ("gaps.fg", ("1 2.0", "0 2.0"), r":11: the places"),
        ("gaps.fg", ("1 2.0", "1 -2.0"), r":9: '-2.0'"),
        ("gaps.fg", ("1\n3\n3\n", "1\n3\n4\n"), r":15: variable 3 has 4 states here; expected 3"),
        ("gaps.fg", ("2 3\n4", "999999 999999\n4"), r":6: tables of 999998000001 entries"),
        ("weather.bif", ("[ 3 ]", "[ 4 ]"), r":6: variable 'sky' has the states .*; expected 4 different states"),
        ("weather.bif", ("variable wet", "variabel wet"), r":9: 'variabel'; expected variable or probability"),
        ("weather.bif", ("(clear)", "(cloudy)"), r":14: the states \['cloudy'\]; expected one state of each parent"),
        ("weather.bif", ("  default 0.4, 0.6;\n", ""), r":16: the table of 'rain' lacks 1 of its rows"),
        ("weather.bif", ("0.95, 0.05", "0.95, -0.05"), r":14: '-0.05'; expected 2 probabilities"),
        ("weather.bif", ("0.95, 0.05", "0.95"), r":14: 1 numbers; expected 2 probabilities"),
        ("weather.bif", ("probability ( sky ) {", "probability ( moon ) {"), r":10: variable 'moon'; expected a"),
        ("weather.bif", ("probability ( sky ) { table 0.5, 0.3, 0.2; }", ""), r"no probability block for \['sky'\]"),
        ("weather.bif", ('"rain"', '"rain'), r":8: a '\"' without its partner"),
    ],
)  # fmt: skip
def test_malformed_models_say_where_and_what(name, change, message, tmp_path):
    before, after = change
    assert before in GOOD[name]
    path = tmp_path / name
    path.write_text(GOOD[name].replace(before, after, 1))
    with pytest.raises(FileFormatError, match=message) as raised:
        read_model(path)
    assert str(raised.value).startswith(f"{path}:")


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (read_mar, "MAP 1 0", r":1: 'MAP'; expected MAR"),
        (read_mar, "MAR\n2 2 0.5 0.5", r":2: the file ends here; expected the number of states of variable 1"),
        (read_mar, "MAR\n1 2 0.5 1.5", r":2: variable 0 has a probability of 1.5; expected at most 1"),
        (read_pr, "PR\nnan", r":2: 'nan'"),
        (read_pr, "PR\n1 2", r":2: '2' after the end"),
        (read_map, "MAP\n3 1 0", r":2: the file ends here \(3 tokens, but only 2 are left\)"),
        (read_map, "MAP\n1 -1", r":2: '-1'"),
    ],
)
def test_malformed_answers(reader, text, message, tmp_path):
    (tmp_path / "answer").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        reader(tmp_path / "answer")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 5 0", r":1: variable '5'; expected a variable of the model, 0 to 2"),
        ("1 1 3", r":1: state '3'; expected one of variable '1', 0 to 2"),
        ("2 1 2 1 0", r":1: variable '1' is observed in two states"),
        ("3 1 2", r":1: "),
        ("1 1", r":1: "),
        ("x", r":1: 'x'; expected the number of observed variables"),
    ],
)
def test_malformed_evidence(text, message, tmp_path):
    (tmp_path / "x.evid").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        read_evidence(tmp_path / "x.evid", read_uai(FIXTURES / "markov.uai"))


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "x.uai"
    path.write_bytes(b"MARKOV\n1\n\xff\n")
    with pytest.raises(FileFormatError, match=":3: byte 0xff is not UTF-8"):
        read_uai(path)
    path.write_bytes(gzip.compress(GOOD["markov.uai"].encode())[:-9])
    with pytest.raises(FileFormatError, match="broken gzip"):
        read_uai(path)


BIF = """variable rain {{ type discrete [ 2 ] {{ no, yes }}; }}
variable wet {{ type discrete [ 2 ] {{ no, yes }}; }}
probability ( rain ) {{ table {prior}; }}
probability ( wet | rain ) {{
  (no) {row};
  {rest}
}}
"""


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        (3, {"prior": "0.8, 0.4"}),
        (5, {"row": "0.9, 0.3"}),
        (6, {"rest": "default 0.1, 0.1;"}),
        (6, {"rest": "(yes) 0.0, 0.0;"}),
    ],
)
def test_bif_rows_sum_to_one(tmp_path, line, changes):
    path = tmp_path / "rain.bif"
    good = {"prior": "0.8, 0.2", "row": "0.333, 0.666", "rest": "(yes) 0.2, 0.8;"}
    path.write_text(BIF.format(**good))
    assert read_bif(path).num_factors == 2  # rounded numbers will do
    path.write_text(BIF.format(**good | changes))
    with pytest.raises(FileFormatError, match=rf"rain\.bif:{line}: a row of .* that sums to .*; expected .* sum to 1"):
        read_bif(path)

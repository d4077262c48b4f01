"""What belongs to each part, where several potentials have one part's score; and log-partitions of first order."""

import numpy as np
import pytest
from nlp.deps.graphs import ModelGraph

from nlp.deps.inference import infer
from nlp.deps.kinds import Placed, kinds_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from oracles.dependency_trees import all_trees
from pgm import FactorGraph
from pgm.factors import BothOn


def test_values_of_all_potentials_of_a_part_are_added_up():
    settings, parts, rng = (
        ModelSettings(tree="nonprojective", nocross=True),
        Parts.all_arcs(4),
        np.random.default_rng(0),
    )
    scores = {kind.name: rng.normal(size=len(kind.positions(parts)[0])) for kind in kinds_of(settings)}
    graph = ModelGraph.of(parts, settings, scores)
    values = [rng.normal(size=potentials.shape) for potentials in graph.potentials]
    found = graph.by_kind(values)
    # <values, potentials> is linear in the scores, and `by_kind` its gradient.
    for name in scores:
        for part in range(len(scores[name])):
            moved = {**scores, name: scores[name] + (np.arange(len(scores[name])) == part)}
            after = ModelGraph.of(parts, settings, moved).potentials
            expected = sum(
                float((v * (b - a)).sum()) for v, a, b in zip(values, graph.potentials, after, strict=True)
            )  # fmt: skip
            assert found[name][part] == pytest.approx(expected), name


def test_values_of_all_families_of_a_kind_are_added_up():
    graph = FactorGraph()
    x = graph.variables("x", 4)
    families = [graph.add(BothOn(x[pairs], np.zeros(2))) for pairs in ([[0, 1], [1, 2]], [[2, 3], [0, 3]])]
    rows = np.array([0, 0]), np.array([1, 0])
    placed = [("own", Placed(family, own, slice(None))) for family, own in zip(families, rows, strict=True)]
    found = ModelGraph(graph, families, placed, {"own": 3}).by_kind([np.array([1.0, 2.0]), np.array([4.0, 8.0])])
    assert found["own"].tolist() == [11.0, 4.0, 0.0]


@pytest.mark.parametrize("tree", ["projective", "nonprojective"])
def test_log_partitions_are_those_of_all_trees(tree):
    settings, parts = ModelSettings(order=1, tree=tree), Parts.all_arcs(4)
    scores = {"arc": np.random.default_rng(1).normal(size=len(parts))}
    totals = [
        parts.indicator(np.array(heads)) @ scores["arc"]
        for heads in all_trees(4, projective=tree == "projective", one_root=True)
    ]
    log_partition, beliefs = infer(parts, settings, scores).likelihood()
    assert log_partition == pytest.approx(np.logaddexp.reduce(totals))
    assert list(beliefs) == ["arc"]
    assert beliefs["arc"].shape == (len(parts),)

"""What belongs to each part, where several potentials have one part's score."""

import numpy as np
import pytest

from nlp.deps.parts import Parts
from oracles.dependency_models import dependency_model, instance_of, random_scores
from pgm import FactorGraph
from pgm.factors import BothOn
from pgm.learning import Placed, ScoredGraph


@pytest.mark.parametrize("options", [
    {"tree": "nonprojective", "nocross": True, "childseq": True},
    {"inference": "exact", "siblings": False, "childseq": True},
], ids=str)  # fmt: skip
def test_values_of_all_potentials_of_a_part_are_added_up(options):
    rng = np.random.default_rng(0)
    instance = instance_of(dependency_model(**options), Parts.all_arcs(4))
    scores, graph = random_scores(instance, rng), instance.scored_graph
    potentials = graph.potentials(scores)
    families = [(k, one) for k, one in enumerate(graph.graph.families) if potentials[k] is not None]
    values = {family: rng.normal(size=potentials[k].shape) for k, family in families}
    found = graph.by_kind(values)
    # <values, potentials> is linear in the scores, and `by_kind` its gradient.
    for name in scores:
        for part in range(len(scores[name])):
            moved = {**scores, name: scores[name] + (np.arange(len(scores[name])) == part)}
            after = graph.potentials(moved)
            expected = sum(float((values[family] * (after[k] - potentials[k])).sum()) for k, family in families)
            assert found[name][part] == pytest.approx(expected), name


def test_values_of_all_families_of_a_kind_are_added_up():
    graph = FactorGraph()
    x = graph.variables("x", 4)
    families = [graph.add(BothOn(x[pairs], np.zeros(2))) for pairs in ([[0, 1], [1, 2]], [[2, 3], [0, 3]])]
    rows = np.array([0, 0]), np.array([1, 0])
    placed = [("own", Placed(family, own, slice(None))) for family, own in zip(families, rows, strict=True)]
    values = dict(zip(families, [np.array([1.0, 2.0]), np.array([4.0, 8.0])], strict=True))
    found = ScoredGraph(graph, placed, {"own": 3}).by_kind(values)
    assert found["own"].tolist() == [11.0, 4.0, 0.0]

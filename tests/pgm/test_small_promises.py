"""Promises at the edges: thresholds between two ways, stacking, families without factors, options out of range."""

import numpy as np
import pytest

from hypergraph import HypergraphBuilder
from pgm import (
    BeliefPropagation,
    FactorGraph,
    FactorGraphError,
    InferenceModule,
    InferenceWarning,
    kernels,
)
from pgm.factors import BothOn, ExactlyOne, HypergraphFactor, LinearChainFactor, Table, _uses, all_spans

SCHEDULES = ["parallel", "serial", "residual"]
NONE = np.zeros((0, 2), dtype=np.int64)
EMPTY = {
    "table": lambda x: Table(x[NONE], np.zeros((0, 2, 2))),
    "unary": lambda x: Table(x[NONE[:, :1]], np.zeros((0, 2))),
    "pair": lambda x: BothOn(x[NONE], np.zeros(0)),
    "logic": lambda x: ExactlyOne(x[NONE]),
    "chain": lambda x: LinearChainFactor(x[NONE], np.zeros((0, 1, 2, 2))),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("kind", EMPTY)
def test_a_family_without_factors_changes_nothing(kind, others, schedule):
    graph = FactorGraph()
    x = graph.variables("x", 2)
    empty = graph.add(EMPTY[kind](x))
    if others:
        graph.add(Table(x[[[0, 1]]], [[0.0, 1.0], [2.0, 0.0]]))
    result = BeliefPropagation(schedule=schedule).run(graph)
    assert result.log_partition == pytest.approx(np.log(2 + np.e + np.e**2) if others else np.log(4))
    assert result.bethe_entropy > 0.0
    assert len(result.belief(empty)) == len(result.entropy(empty)) == 0
    best = BeliefPropagation(schedule=schedule, mode="max").run(graph).assignment()
    assert graph.score(best) == (2.0 if others else 0.0)
    module = InferenceModule(graph, BeliefPropagation(iterations=2, schedule=schedule))
    potentials = [family.potentials for family in graph.families if family.potentials is not None]
    outputs, backward = module.forward(*potentials)
    adjoints = backward(*[np.ones_like(output) for output in outputs])
    assert [a.shape for a in adjoints] == [p.shape for p in potentials]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_graph_of_nothing(schedule):
    result = BeliefPropagation(schedule=schedule).run(FactorGraph())
    assert result.beliefs == []
    assert len(result.assignment()) == 0


@pytest.mark.parametrize("options", [{"iterations": -1}, {"damping": 1.5}, {"damping": -0.1}, {"damping": np.nan}])
def test_options_out_of_range_are_refused(options):
    (name,) = options
    with pytest.raises(ValueError, match=name):
        BeliefPropagation(**options)


def test_no_iterations_are_worth_a_warning():
    graph = FactorGraph()
    x = graph.variables("x", 2)
    graph.add(Table(x[[[0, 1]]], np.eye(2)))
    with pytest.warns(InferenceWarning, match="iterations=0"):
        BeliefPropagation(iterations=0).run(graph)
    with pytest.warns(InferenceWarning, match="iterations=0"):
        BeliefPropagation(iterations=0).run(graph, record=True)


def test_stacking_leaves_the_families_as_they_were():
    first = ExactlyOne(np.arange(3), negated=np.array([True, False, False]), name="first")
    second = ExactlyOne(np.arange(3, 9).reshape(2, 3), name="second")
    for members in ([first], [first, second]):
        stacked = ExactlyOne.stack(members)
        assert stacked.name == "first"
        assert stacked.num_factors == sum(family.num_factors for family in members)
        assert stacked is not first
    assert first.num_factors == 1
    assert first.swapped.tolist() == [[True, False, False]]
    np.testing.assert_array_equal(stacked.swapped[1:], np.zeros((2, 3), dtype=bool))


def test_a_mapping_is_checked_up_to_a_size(monkeypatch):
    builder = HypergraphBuilder()
    builder.edge("end", ["bit", "bit 2", "other"])
    builder.edge("bit", weight="on")
    builder.edge("bit 2", weight="on again")  # two weights of one variable
    builder.edge("other", weight="other on")
    graph = builder.build("end")
    uses = {"on": (0, 1), "on again": (0, 1), "other on": (1, 1)}
    size = graph.num_edges * 2
    monkeypatch.setattr(_uses, "LARGEST_CHECK", size)
    with pytest.raises(FactorGraphError, match="uses 2 weights"):
        HypergraphFactor(np.arange(2), graph, uses, default=0)
    monkeypatch.setattr(_uses, "LARGEST_CHECK", size - 1)
    HypergraphFactor(np.arange(2), graph, uses, default=0)
    with pytest.raises(FactorGraphError, match="uses 2 weights"):
        HypergraphFactor(np.arange(2), graph, uses, default=0, check=True)


def test_all_spans_of_few_words():
    for n in range(7):
        spans = all_spans(n)
        assert len(spans) == n * (n - 1) // 2
        assert spans == sorted({(i, j) for i in range(n) for j in range(n + 1) if j - i >= 2})


@pytest.mark.parametrize("degree", [2, 31, 32, 33, 40])
def test_repeated_variables_are_found_however_many_there_are(degree):
    """Few are compared with each other, many are sorted."""
    rng = np.random.default_rng(degree)
    rows = np.stack([rng.permutation(100)[:degree] for _ in range(3)])
    assert kernels.places.repeated(rows) == -1
    for first in range(0, degree - 1, 7):
        for second in {first + 1, degree - 1}:
            twice = rows.copy()
            twice[1, second] = twice[1, first]
            assert kernels.places.repeated(twice) == 1

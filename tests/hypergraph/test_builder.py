"""Writing a hypergraph by hand."""

import numpy as np
import pytest

from hypergraph import CycleError, GraphError, HypergraphBuilder, log_partition, marginals
from oracles import random_hypergraphs, random_weights


def build(edges, root, **options):
    builder = HypergraphBuilder(**options)
    for edge in edges:
        builder.edge(*edge)
    return builder.build(root)


def test_a_cycle_names_its_nodes():
    with pytest.raises(CycleError, match=r"take part in their own derivation") as caught:
        build([("a",), ("b", ["a", "d"]), ("c", ["b"]), ("d", ["c"])], "d")
    for name in ("'b'", "'c'", "'d'"):
        assert name in str(caught.value)
    assert "'a'" not in str(caught.value)
    with pytest.raises(CycleError, match="'loop'"):
        build([("loop",), ("loop", ["loop"])], "loop")


@pytest.mark.parametrize(
    ("edges", "root", "message"),
    [
        ([("a",)], "goal", "the root 'goal' is unreachable: no edge mentions it"),
        ([], "goal", "the root 'goal' is unreachable"),
        ([("a", ["goal"])], "goal", "the root 'goal' is unreachable: no edge has it as its head"),
        ([("a",), ("goal", ["a", "b"])], "goal", "unknown tail 'b' in the edge into 'goal'"),
        ([("goal", [("x", 1)]), ("a",)], "goal", r"unknown tail \('x', 1\) in the edge into 'goal'"),
    ],
)
def test_what_nothing_derives_is_named(edges, root, message):
    with pytest.raises(GraphError, match=message):
        build(edges, root)


def test_weight_indices_are_checked():
    for weight in (3, -1, "w"):
        with pytest.raises(GraphError, match=rf"weight index {weight!r} is out of range: weights are 0 … 2"):
            build([("a", [], weight)], "a", num_weights=3)


def test_a_string_is_not_a_list_of_tails():
    with pytest.raises(GraphError, match="tails is the string 'noun'; give a list"):
        build([("noun",), ("goal", "noun")], "goal")


def test_names_are_kept():
    graph = build([("x", [], "w"), ("goal", ["x", "x"], "v"), ("goal", ["x"])], "goal")
    assert graph.node_names == ("x", "goal")
    assert graph.weight_names == ("w", "v")
    assert graph.edge_name(1) == "goal ← x x"
    assert graph.weight.tolist() == [0, 1, -1]


def test_none_as_a_weight_index_is_no_weight():
    graph = build([("a", [], 0), ("a", [], None)], "a", num_weights=1)
    assert log_partition(graph, np.log([3.0])) == pytest.approx(np.log(4.0))


def test_edges_may_come_in_any_order():
    """Shuffled edges give the same sums: nodes are sorted topologically and edges grouped by head."""
    rng = np.random.default_rng(0)
    for graph in random_hypergraphs(60, seed=1):
        edges = [
            (int(graph.head[e]), graph.tails_of(e).tolist(), None if graph.weight[e] < 0 else int(graph.weight[e]))
            for e in range(graph.num_edges)
        ]
        shuffled = build([edges[i] for i in rng.permutation(len(edges))], graph.root, num_weights=graph.num_weights)
        weights = random_weights(rng, graph.num_weights)
        assert shuffled.node_names[shuffled.root] == graph.root
        assert log_partition(shuffled, weights) == pytest.approx(log_partition(graph, weights), abs=1e-12)
        np.testing.assert_allclose(marginals(shuffled, weights), marginals(graph, weights), atol=1e-12)


def test_many_weights_share_one_name():
    graph = build([("a", [], "w"), ("b", ["a"], "w"), ("c", ["b", "a"], "w")], "c")
    assert graph.num_weights == 1
    assert marginals(graph, [0.3]).tolist() == [4.0]

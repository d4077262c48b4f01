"""What is wrong with a hypergraph or its weights is said, and where."""

import numpy as np
import pytest

from hypergraph import GraphError, Hypergraph, WeightError, log_partition

GOOD = {
    "head": [0, 1, 1, 2],
    "tail_start": [0, 0, 1, 2, 4],
    "tails": [0, 0, 0, 1],
    "weight": [-1, 0, 1, 2],
    "num_nodes": 3,
    "num_weights": 3,
}


def test_the_good_one_is_good():
    graph = Hypergraph(**GOOD)
    assert (graph.num_edges, graph.root) == (4, 2)
    assert graph.edge_start.tolist() == [0, 1, 3, 4]
    assert graph.edge_name(3) == "node 2 ← node 0 node 1"
    assert graph.edge_name(0) == "node 0 ← (axiom)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": [-1, 0, 1]}, "4 edges need 5 tail starts and 4 weight indices, but there are 5 and 3"),
        ({"tail_start": [0, 0, 1, 2]}, "4 edges need 5 tail starts"),
        ({"tail_start": [0, 1, 0, 2, 4]}, "tail_start must ascend from 0 to the number of tails, 4"),
        ({"tail_start": [0, 0, 1, 2, 3]}, "tail_start must ascend"),
        ({"root": 3}, "the root is node 3, but nodes are 0 … 2"),
        ({"root": -1}, "the root is node -1"),
        ({"head": [0, 1, 1, 3]}, "edge 3: its head 3 is not a node"),
        ({"head": [0, 2, 1, 2]}, "edge 2: its head 1 comes after head 2; group edges by head"),
        ({"tails": [0, 0, 0, 7]}, "edge 3: unknown tail 7; nodes are 0 … 2"),
        ({"tails": [0, 0, 0, -2]}, "edge 3: unknown tail -2"),
        ({"tails": [0, 1, 0, 1]}, r"edge 2 \(node 1 ← node 1\): its tail 1 does not come before its head 1: a cycle"),
        ({"tails": [2, 0, 0, 1]}, r"edge 1 \(node 1 ← node 2\): its tail 2 does not come before its head 1"),
        ({"weight": [-1, 0, 3, 2]}, r"edge 2 \(node 1 ← node 0\): weight index 3 is out of range: there are 3 weights"),
        ({"weight": [-2, 0, 1, 2]}, r"edge 0 \(node 0 ← \(axiom\)\): weight index -2 is out of range"),
        ({"head": [0, 2, 2, 2], "node_names": ("a", "b", "c")}, "'b' is the head of no edge"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    with pytest.raises(GraphError, match=message):
        Hypergraph(**{**GOOD, **change})


def test_arrays_cannot_be_changed_and_are_copies():
    head = np.array(GOOD["head"])
    graph = Hypergraph(**{**GOOD, "head": head})
    head[:] = 0
    assert graph.head.tolist() == GOOD["head"]
    with pytest.raises(ValueError, match="read-only"):
        graph.head[0] = 1


def test_weights_are_checked():
    graph = Hypergraph(**GOOD, weight_names=("a", "b", "c"))
    assert graph.weights({"c": 3.0, "a": 1.0, "b": 2.0}).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(WeightError, match=r"missing \['b'\], unknown \['d'\]"):
        graph.weights({"a": 1.0, "d": 2.0, "c": 3.0})
    with pytest.raises(WeightError, match=r"b \(index 1\) has log-weight nan"):
        log_partition(graph, [0.0, np.nan, 0.0])
    with pytest.raises(WeightError, match=r"c \(index 2\) has log-weight inf"):
        log_partition(graph, [0.0, -np.inf, np.inf])
    with pytest.raises(WeightError, match=r"has 3 weights, but the array of shape \(2, 2\) holds 4"):
        log_partition(graph, np.zeros((2, 2)))


def test_a_root_in_the_middle():
    graph = Hypergraph(**GOOD, root=1)
    assert log_partition(graph, np.log([2.0, 3.0, 100.0])) == pytest.approx(np.log(5.0))


def test_indices_that_are_no_integers_are_refused():
    with pytest.raises(GraphError, match="integers"):
        Hypergraph(head=[0], tail_start=[0, 0], tails=[], weight=[0.5], num_nodes=1, num_weights=1)

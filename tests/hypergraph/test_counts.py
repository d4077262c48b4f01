"""Numbers of objects that are known in closed form, in the counting semiring."""

from math import comb

import numpy as np
import pytest

from hypergraph import HypergraphBuilder, ImpossibleError, count
from hypergraph.structures import (
    ContextFree,
    Grammar,
    GrandparentTrees,
    GrandSiblingTrees,
    LinearChain,
    NonprojectiveTrees,
    ProjectiveTrees,
    SecondOrderChain,
    Segmentation,
    SiblingTrees,
)
from oracles import structure_classes

TREES = [ProjectiveTrees, SiblingTrees, GrandparentTrees, GrandSiblingTrees]


@pytest.mark.parametrize("kind", TREES)
def test_projective_trees(kind):
    assert [count(kind(n)) for n in range(1, 6)] == [1, 3, 12, 55, 273]
    assert [count(kind(n, roots="one")) for n in range(1, 6)] == [1, 2, 7, 30, 143]
    assert count(kind(9)) == comb(27, 9) // 19
    assert count(kind(9, roots="one")) == comb(25, 8) // 9


def test_nonprojective_trees():
    for n in (1, 2, 3, 7, 40):
        assert count(NonprojectiveTrees(n)) == (n + 1) ** (n - 1)
        assert count(NonprojectiveTrees(n, roots="one")) == n ** (n - 1)


def test_no_tree_structure_is_forgotten():
    with_roots = [kind for kind in structure_classes() if "roots" in {a.name for a in kind.__attrs_attrs__}]
    assert set(with_roots) == {*TREES, NonprojectiveTrees}


def test_counts_beyond_64_bits_are_exact():
    expected = comb(3 * 30, 30) // 61
    assert expected > 2**64
    assert count(ProjectiveTrees(30)) == expected
    assert count(LinearChain(100, 3)) == 3**100


def test_impossible_weights_are_not_counted():
    weights = np.zeros((4, 4))
    weights[0, 1:3] = -np.inf  # only word 3 may depend on the root
    assert count(ProjectiveTrees(3), weights) == 3  # 1 ← 2 ← 3, 1 → 2 under 3, both under 3
    assert count(ProjectiveTrees(3), np.full((4, 4), -np.inf)) == 0


def test_one_symbol_gives_catalan_numbers():
    grammar = Grammar(["X"], [("X", "X", "X")])
    assert [count(ContextFree(grammar, n)) for n in range(1, 8)] == [1, 1, 2, 5, 14, 42, 132]
    assert count(ContextFree(grammar, 40)) == comb(78, 39) // 40


def test_all_rules_over_s_symbols():
    grammar = Grammar(["A"], [(a, b, c) for a in "ABC" for b in "ABC" for c in "ABC"])
    assert count(ContextFree(grammar, 6)) == 42 * 3**11  # bracketings × symbols for 6 leaves and 5 inner nodes


def test_widths_that_no_symbol_derives():
    grammar = Grammar(["S"], [("S", "A", "B")])
    assert count(ContextFree(grammar, 2)) == 1
    with pytest.raises(ImpossibleError, match="3 words"):
        count(ContextFree(grammar, 3))


@pytest.mark.parametrize(("length", "states"), [(1, 1), (1, 4), (2, 3), (7, 2), (5, 4)])
def test_chains(length, states):
    assert count(LinearChain(length, states)) == states**length
    assert count(LinearChain(length, states, shared_transitions=True)) == states**length
    assert count(SecondOrderChain(length, states)) == states**length


def test_segmentations():
    for length in range(1, 7):
        for labels in (1, 2, 3):
            assert count(Segmentation(length, labels, length)) == labels * (1 + labels) ** (length - 1)
            assert count(Segmentation(length, labels, length + 5)) == labels * (1 + labels) ** (length - 1)
            assert count(Segmentation(length, labels, 1)) == labels**length
    assert [count(Segmentation(length, 1, 2)) for length in range(1, 8)] == [1, 2, 3, 5, 8, 13, 21]


def test_a_graph_without_weights():
    builder = HypergraphBuilder()
    builder.edge("x")
    builder.edge("x")
    builder.edge("y", ["x", "x", "x"])
    assert count(builder.build("y")) == 8

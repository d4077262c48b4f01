"""How natural arrays become the weights of a structure, and marginals become natural arrays again."""

import numpy as np
import pytest

from hypergraph import WeightError, log_partition, marginals, viterbi
from hypergraph.structures import (
    ContextFree,
    Grammar,
    GrandparentTrees,
    GrandSiblingTrees,
    LinearChain,
    ProjectiveTrees,
    SecondOrderChain,
    Segmentation,
    SiblingTrees,
)
from oracles import enumeration

RNG = np.random.default_rng(0)
TREES = [ProjectiveTrees, SiblingTrees, GrandparentTrees, GrandSiblingTrees]
HIGHER = TREES[1:]


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("roots", ["any", "one"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_weights_of_trees_are_finite_exactly_where_there_are_parts(kind, roots, n):
    trees = kind(n, roots)
    used = enumeration(trees).uses.any(axis=0)
    np.testing.assert_array_equal(np.isfinite(trees.weights(np.zeros((n + 1, n + 1)))).ravel(), used)


@pytest.mark.parametrize("kind", HIGHER)
@pytest.mark.parametrize("roots", ["any", "one"])
def test_arcs_alone_make_first_order_trees(kind, roots):
    n = 8
    first, higher = ProjectiveTrees(n, roots), kind(n, roots)
    arcs = RNG.normal(size=(n + 1, n + 1))
    arcs[RNG.random(arcs.shape) < 0.1] = -np.inf
    arcs[0, 1:] = 0.0
    weights = higher.weights(arcs)
    assert log_partition(higher, weights) == pytest.approx(log_partition(first, first.weights(arcs)), abs=1e-10)
    expected = marginals(first, first.weights(arcs))
    np.testing.assert_allclose(higher.arc_marginals(marginals(higher, weights)), expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(higher.arc_marginals(marginals(higher, weights.ravel())), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("roots", ["any", "one"])
def test_the_third_order_contains_the_second(roots):
    n = 7
    arcs, siblings, grandparents = RNG.normal(size=(8, 8)), RNG.normal(size=(8, 8, 8)), RNG.normal(size=(8, 8, 8))
    third = GrandSiblingTrees(n, roots)
    by_sibling, by_grandparent = SiblingTrees(n, roots), GrandparentTrees(n, roots)
    ours = third.weights(arcs, siblings=siblings)
    theirs = by_sibling.weights(arcs, siblings)
    np.testing.assert_allclose(marginals(third, ours).sum(axis=0), marginals(by_sibling, theirs), atol=1e-11)
    ours = third.weights(arcs, grandparents)
    theirs = by_grandparent.weights(arcs, grandparents)
    np.testing.assert_allclose(marginals(third, ours).sum(axis=3), marginals(by_grandparent, theirs), atol=1e-11)
    both = np.expand_dims(grandparents, 3) + siblings
    apart = third.weights(arcs, grandparents, siblings)
    np.testing.assert_allclose(third.weights(arcs, grand_siblings=both), apart, atol=1e-12)


@pytest.mark.parametrize("kind", HIGHER)
def test_a_tree_is_scored_by_its_context(kind):
    """1 → 2, 1 → 3 and 0 → 1: the values at the parts, added up by hand."""
    trees = kind(3)
    values = RNG.normal(size=trees.shape)
    heads = np.array([-1, 0, 1, 1])
    at = {
        SiblingTrees: [(0, 1, 0), (1, 2, 1), (1, 3, 2)],
        GrandparentTrees: [(0, 0, 1), (0, 1, 2), (0, 1, 3)],
        GrandSiblingTrees: [(0, 0, 1, 0), (0, 1, 2, 1), (0, 1, 3, 2)],
    }[kind]
    for index in at:
        values[index] += 50.0
    best = viterbi(trees, values)
    np.testing.assert_array_equal(trees.decode(best), heads)
    assert best.score == pytest.approx(sum(values[index] for index in at))


@pytest.mark.parametrize(
    ("structure", "arguments", "message"),
    [
        (SiblingTrees(3), (np.zeros((3, 3)),), r"arcs for n = 3 have shape \(4, 4\), not \(3, 3\)"),
        (SiblingTrees(3), (np.zeros((4, 4)), np.zeros((4, 4))), r"siblings .* \(4, 4, 4\), not \(4, 4\)"),
        (GrandparentTrees(2), (np.zeros((3, 3)), np.zeros((3, 3, 4))), r"grandparents .* \(3, 3, 3\), not \(3, 3, 4\)"),
        (GrandSiblingTrees(2), (np.zeros((3, 3)), None, None, np.zeros(81)), r"grand_siblings .* not \(81,\)"),
        (LinearChain(3, 2), (np.zeros((2, 3)),), r"unary weights of LinearChain.* shape \(3, 2\), not \(2, 3\)"),
        (LinearChain(3, 2), (np.zeros((3, 2)), np.zeros((3, 2, 2))), r"transitions .* \(2, 2, 2\), not \(3, 2, 2\)"),
        (LinearChain(3, 2, True), (np.zeros((3, 2)), np.zeros((2, 2, 2))), r"transitions .* \(1, 2, 2\), not"),
        (LinearChain(3, 2), (np.zeros((3, 2)), np.zeros(2)), r"transitions .* not \(2,\)"),
        (LinearChain(3, 2), (np.zeros((3, 2)), None, np.zeros(3)), r"initial weights .* \(2,\), not \(3,\)"),
        (LinearChain(3, 2), (np.zeros((3, 2)), None, None, np.zeros(3)), r"final weights .* \(2,\), not \(3,\)"),
        (SecondOrderChain(4, 2), (np.zeros((4, 3)),), r"unary weights .* \(4, 2\), not \(4, 3\)"),
        (SecondOrderChain(4, 2), (np.zeros(2),), r"unary weights .* \(4, 2\), not \(2,\)"),
        (SecondOrderChain(4, 2), (np.zeros((4, 2)), np.zeros((3, 2, 2, 2))), r"transitions .* \(2, 2, 2, 2\), not"),
        (SecondOrderChain(4, 2), (np.zeros((4, 2)), None, np.zeros((3, 3))), r"first pair .* not \(3, 3\)"),
        (Segmentation(4, 2, 3), (np.zeros((4, 2, 3)),), r"segments .* \(4, 3, 2\), not \(4, 2, 3\)"),
        (Segmentation(4, 2, 3), (np.zeros((4, 3, 2)), np.zeros(2)), r"transitions .* \(2, 2\), not \(2,\)"),
        (ContextFree(Grammar("S", ["SAB"]), 2), (np.zeros(2), np.zeros((2, 3))), r"of rules .* \(1,\), not \(2,\)"),
        (ContextFree(Grammar("S", ["SAB"]), 2), (np.zeros(1), np.zeros((3, 2))), r"of lexical .* \(2, 3\), not"),
        (ContextFree(Grammar("S", ["SAB"]), 2), (np.zeros(1), np.zeros((2, 3)), np.zeros(1)), r"of roots .* \(3,\)"),
    ],
)
def test_wrong_shapes_are_refused(structure, arguments, message):
    with pytest.raises(WeightError, match=message):
        structure.weights(*arguments)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("structure", "shape", "at", "name"),
    [
        (SiblingTrees(3), (4, 4), (1, 2), "arc 1 → 2, inner sibling none"),
        (GrandparentTrees(3), (4, 4), (1, 2), "arc 1 → 2, grandparent 0"),
        (LinearChain(3, 2), (3, 2), (2, 1), "state 1 at 2"),
        (SecondOrderChain(3, 2), (3, 2), (2, 1), "state 1 at 2"),
        (Segmentation(3, 2, 2), (3, 2, 2), (1, 1, 0), "segment 1 … 2 labelled 0"),
    ],
)
def test_bad_values_are_named(structure, shape, at, name, bad):
    values = np.zeros(shape)
    values[at] = bad
    with pytest.raises(WeightError, match=f"{name} .*{bad}"):
        structure.weights(values)


def test_infinities_of_both_signs_are_refused_without_a_warning():
    siblings = np.zeros((4, 4, 4))
    siblings[1, 2] = np.inf
    with pytest.raises(WeightError, match=r"arc 1 → 2.* nan"):
        SiblingTrees(3).weights(np.full((4, 4), -np.inf), siblings)


def test_chain_parts():
    chain = LinearChain(4, 3)
    unary, transitions = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3, 3))
    initial, final = RNG.normal(size=3), RNG.normal(size=3)
    parts = chain.parts(chain.weights(unary, transitions, initial, final))
    np.testing.assert_array_equal(parts.transitions, transitions)
    np.testing.assert_array_equal(parts.unary[1:-1], unary[1:-1])
    np.testing.assert_allclose(parts.unary[[0, -1]], unary[[0, -1]] + [initial, final])
    one = LinearChain(1, 3)
    assert one.parts(one.weights(unary[:1], None, initial, final)).transitions.shape == (0, 3, 3)
    np.testing.assert_allclose(
        one.parts(one.weights(unary[:1], None, initial, final)).unary[0], unary[0] + initial + final
    )
    with pytest.raises(WeightError):
        chain.parts(np.zeros(5))


def test_the_arrays_that_were_given_stay_as_they_are():
    unary, segments, arcs = np.ones((3, 2)), np.ones((3, 3, 2)), np.ones((4, 4))
    LinearChain(3, 2).weights(unary, initial=np.ones(2))
    Segmentation(3, 2, 3).weights(segments)
    SiblingTrees(3).weights(arcs)
    assert (unary == 1).all()
    assert (segments == 1).all()
    assert (arcs == 1).all()


def test_shared_transitions_are_the_same_chain():
    unary, transitions = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 3))
    apart, shared = LinearChain(5, 3), LinearChain(5, 3, shared_transitions=True)
    one, other = apart.weights(unary, transitions), shared.weights(unary, transitions)
    np.testing.assert_array_equal(other, shared.weights(unary, transitions[None]))
    assert log_partition(apart, one) == pytest.approx(log_partition(shared, other), abs=1e-12)
    of_one, of_other = apart.parts(marginals(apart, one)), shared.parts(marginals(shared, other))
    np.testing.assert_allclose(of_one.unary, of_other.unary, atol=1e-12)
    np.testing.assert_allclose(of_one.transitions.sum(axis=0), of_other.transitions[0], atol=1e-12)


def test_the_second_order_contains_the_first():
    """Pairs put where triples are expected: each step's transition, whatever came before."""
    unary, transitions = RNG.normal(size=(5, 3)), RNG.normal(size=(4, 3, 3))
    first, second = LinearChain(5, 3), SecondOrderChain(5, 3)
    triples = np.broadcast_to(transitions[1:, None], (3, 3, 3, 3))
    one, other = first.weights(unary, transitions), second.weights(unary, triples, transitions[0])
    assert log_partition(first, one) == pytest.approx(log_partition(second, other), abs=1e-12)
    of_one, of_other = first.parts(marginals(first, one)), second.parts(marginals(second, other))
    np.testing.assert_allclose(of_one.unary, of_other.unary, atol=1e-12)
    np.testing.assert_allclose(of_one.transitions[0], of_other.first_pair[0], atol=1e-12)
    np.testing.assert_allclose(of_one.transitions[1:], of_other.transitions.sum(axis=1), atol=1e-12)


def test_segments_of_one_position_are_a_chain():
    unary, transitions = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 3))
    chain, cuts = LinearChain(5, 3, shared_transitions=True), Segmentation(5, 3, 1)
    one, other = chain.weights(unary, transitions), cuts.weights(unary[:, None], transitions)
    assert log_partition(chain, one) == pytest.approx(log_partition(cuts, other), abs=1e-12)
    np.testing.assert_allclose(marginals(chain, one), marginals(cuts, other), atol=1e-12)


def test_segments_beyond_the_end_are_impossible():
    cuts = Segmentation(3, 1, 3)
    segments = cuts.parts(cuts.weights(np.zeros((3, 3, 1)))).segments[..., 0]
    np.testing.assert_array_equal(np.isfinite(segments), [[1, 1, 1], [1, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: SiblingTrees(0),
        lambda: GrandparentTrees(2, roots="two"),
        lambda: LinearChain(0, 2),
        lambda: LinearChain(2, 0),
        lambda: SecondOrderChain(0, 2),
        lambda: Segmentation(2, 1, 0),
        lambda: ContextFree(Grammar("S", ["SSS"]), 0),
    ],
)
def test_sizes_are_checked(wrong):
    with pytest.raises(ValueError, match=r"must be|roots is"):
        wrong()

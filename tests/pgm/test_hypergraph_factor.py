"""`HypergraphFactor` and the factors made with it; enumeration of their examples is in test_factor_conformance."""

import numpy as np
import pytest

from hypergraph import HypergraphBuilder, NoHypergraphError, marginals
from hypergraph.structures import Grammar, NonprojectiveTrees, ProjectiveTrees
from hypergraph.structures import LinearChain as Chains
from oracles.derivations import all_derivations
from pgm import FactorGraph, check_factor
from pgm.errors import FactorGraphError, PotentialError
from pgm.factors import (
    ChildSequence,
    Constituency,
    HypergraphFactor,
    LabelledConstituency,
    LinearChainFactor,
    SegmentationFactor,
    Trigram,
    all_spans,
)

READY = [
    HypergraphFactor,
    LinearChainFactor,
    Trigram,
    ChildSequence,
    Constituency,
    LabelledConstituency,
    SegmentationFactor,
]


def run(factor, incoming):
    return factor.run(incoming, factor.prepare(factor.potentials))


@pytest.mark.parametrize("kind", READY)
@pytest.mark.parametrize("scale", [30.0, 1000.0])
def test_confident_messages(kind, scale):
    for seed, factor in enumerate(kind.examples(np.random.default_rng(3))):
        for impossible in (0.0, 0.2):
            check_factor(factor, scale=scale, impossible=impossible, gradients=False, seed=seed)


@pytest.mark.parametrize("kind", READY)
def test_gradients_with_impossible_and_forced_states(kind):
    """An incoming -inf of a default state forces the variable on."""
    for seed, factor in enumerate(kind.examples(np.random.default_rng(4))):
        if factor.degree <= 6:
            for impossible in (0.2, 0.35):
                check_factor(factor, impossible=impossible, seed=seed)


@pytest.mark.parametrize("kind", READY)
def test_the_mapping_gives_each_derivation_one_assignment(kind):
    """Scores by definition agree with the sum over derivations; and no assignment has two."""
    for factor in kind.examples(np.random.default_rng(5)):
        factor.uses.check(factor.name)
        own = factor.prepare(factor.potentials)[1]
        graph, uses = factor.uses.graph, factor.uses
        seen = set()
        for derivation in all_derivations(graph)[:200]:
            used = graph.weight[list(derivation)]
            used = used[used >= 0]
            states = factor.offsets[:-1] * 0 - 1
            states[uses.default_slot >= 0] = (uses.default_slot - factor.offsets[:-1])[uses.default_slot >= 0]
            mapped = used[uses.position[used] >= 0]
            states[uses.position[mapped]] = uses.slot[mapped] - factor.offsets[uses.position[mapped]]
            assert (states >= 0).all()
            assert tuple(states) not in seen
            seen.add(tuple(states))
            assignment = np.tile(states, (factor.num_factors, 1))
            np.testing.assert_allclose(factor.score(assignment), own[:, used].sum(axis=1), atol=1e-12)
            np.testing.assert_allclose(HypergraphFactor.score(factor, assignment), factor.score(assignment), atol=1e-12)


def test_sums_over_derivations_that_agree():
    """Two derivations for one assignment: ψ is their sum."""
    builder = HypergraphBuilder()
    builder.edge("end", weight="one way")
    builder.edge("end", weight="other way")
    builder.edge("end", weight="off")
    graph = builder.build("end")
    factor = HypergraphFactor(
        np.array([0]),
        graph,
        {"one way": (0, 1), "other way": (0, 1)},
        default=0,
        log_potentials=np.log([2.0, 3.0, 7.0]),
    )
    np.testing.assert_allclose(np.exp(factor.score(np.array([[1]]))), 5.0)
    np.testing.assert_allclose(np.exp(run(factor, np.zeros((1, 2))).messages), [[7.0, 5.0]])


def test_chain_agrees_with_forward_backward():
    rng = np.random.default_rng(0)
    length, states = 12, 5
    transitions, unary = rng.normal(size=(length - 1, states, states)), 3.0 * rng.normal(size=(length, states))
    factor = LinearChainFactor(np.arange(length), transitions)
    done = run(factor, unary.reshape(1, -1))
    chain = Chains(length, states)
    expected = chain.parts(marginals(chain, chain.weights(unary, transitions)))
    np.testing.assert_allclose(done.beliefs[0], expected.transitions, atol=1e-12)
    product = (done.messages.reshape(length, states) + unary) - done.log_partition
    np.testing.assert_allclose(np.exp(product), expected.unary, atol=1e-12)


def test_groups_change_nothing_but_the_way():
    """Arcs into a word are a group: the same messages and gradients as by subtraction and by passes of their own."""
    trees = ProjectiveTrees(3)
    index = np.arange(trees.num_weights).reshape(4, 4)
    arcs = [(h, m) for m in (1, 2, 3) for h in range(4) if h != m]
    uses = {int(index[arc]): (position, 1) for position, arc in enumerate(arcs)}
    alone = HypergraphFactor(np.arange(9), trees, uses, default=0)
    grouped = HypergraphFactor(np.arange(9), trees, uses, default=0, groups=[m for _, m in arcs])
    rng = np.random.default_rng(0)
    for scale in (1.0, 10.0, 300.0):
        incoming = scale * rng.normal(size=(4, 18))
        incoming[1, 2] = -np.inf  # an arc that must be on
        incoming[2, [1, 7]] = -np.inf
        adjoint = rng.normal(size=incoming.shape)
        one, other = (family.take(np.zeros(4, dtype=int)) for family in (alone, grouped))
        ours, theirs = run(one, incoming), run(other, incoming)
        np.testing.assert_allclose(ours.messages, theirs.messages, rtol=1e-12, atol=1e-11)
        given = np.where(ours.messages > -np.inf, adjoint, 0.0)
        np.testing.assert_allclose(ours.backward(given)[0], theirs.backward(given)[0], atol=1e-9)
    check_factor(grouped, impossible=0.2, gradients=False)


def test_contradictions_have_no_weight():
    arcs = ChildSequence(np.arange(2), np.zeros((3, 3)))
    incoming = np.zeros((1, 4))
    incoming[0, :2] = -np.inf
    done = run(arcs, incoming)
    assert done.log_partition[0] == -np.inf
    assert (done.messages == -np.inf).all()
    assert not np.isnan(done.backward(np.ones((1, 4)), np.ones(1))[0]).any()
    brackets = Constituency(np.arange(6), 4)  # spans 0-2 and 1-3 must both be on, and cross
    incoming = np.zeros((1, 12))
    incoming[0, [2 * all_spans(4).index((0, 2)), 2 * all_spans(4).index((1, 3))]] = -np.inf
    assert run(brackets, incoming).log_partition[0] == -np.inf


def test_a_variable_that_must_be_on():
    brackets = Constituency(np.arange(6), 4)
    incoming = np.zeros((1, 12))
    must = all_spans(4).index((1, 3))
    incoming[0, 2 * must] = -np.inf
    done = run(brackets, incoming)
    np.testing.assert_allclose(np.exp(done.log_partition), 2.0)  # under the left or the right half
    np.testing.assert_allclose(np.exp(done.messages[0, 2 * must : 2 * must + 2]), [3.0, 2.0])


def test_family_is_split_and_stacked():
    rng = np.random.default_rng(0)
    family = Trigram(np.arange(12).reshape(3, 4), rng.normal(size=(3, 2, 2, 2, 2)))
    incoming = rng.normal(size=(3, 8))
    parts = [family.take(np.array([row])) for row in range(3)]
    assert parts[0].merge_key() == parts[1].merge_key()
    whole = Trigram.stack(parts)
    expected = run(family, incoming).messages
    np.testing.assert_array_equal(run(whole, incoming).messages, expected)
    np.testing.assert_array_equal(run(parts[1], incoming[1:2]).messages, expected[1:2])


def test_what_cannot_work_is_refused():
    builder = HypergraphBuilder()
    builder.edge("one", weight="a")
    builder.edge("end", ["one"], weight="b")
    builder.edge("end", weight="c")
    graph = builder.build("end")
    pair, single = np.arange(2), np.arange(1)
    with pytest.raises(FactorGraphError, match="uses 2 weights of the variable at position 0"):
        HypergraphFactor(single, graph, {"a": (0, 1), "b": (0, 1)}, default=0)
    with pytest.raises(FactorGraphError, match=r"no weight of the variable at position 0, which has no default"):
        HypergraphFactor(single, graph, {"a": (0, 0)})
    with pytest.raises(FactorGraphError, match="default state of position 0"):
        HypergraphFactor(single, graph, {"a": (0, 0)}, default=0)
    with pytest.raises(FactorGraphError, match="no weight 'd'"):
        HypergraphFactor(single, graph, {"d": (0, 0)})
    with pytest.raises(FactorGraphError, match="state 1 of the variable at position 2"):
        HypergraphFactor(pair, graph, {"a": (2, 1)}, default=0)
    with pytest.raises(FactorGraphError, match="cannot be its default"):
        HypergraphFactor(FactorGraph().variables("x", 1), graph, {"a": (0, 1)}, default=2)
    with pytest.raises(FactorGraphError, match="shape"):
        HypergraphFactor(single, graph, [[0, 1]], default=0)
    with pytest.raises(PotentialError, match="nan"):
        HypergraphFactor(single, graph, {"a": (0, 1)}, default=0, log_potentials=[0.0, np.nan, 0.0])
    with pytest.raises(PotentialError, match="states"):
        LinearChainFactor(FactorGraph().variables("tag", 3, 4), np.zeros((2, 2)))
    with pytest.raises(FactorGraphError, match="no binary tree"):
        Constituency(np.arange(2), 4, [0, 0], [4, 2])
    with pytest.raises(FactorGraphError, match="derive no 3 words"):
        LabelledConstituency(np.arange(6), Grammar(["S"], [("S", "N", "V")]), 3)


def test_a_structure_without_a_hypergraph_is_refused():
    with pytest.raises(NoHypergraphError, match="no HypergraphFactor"):
        HypergraphFactor(np.arange(9), NonprojectiveTrees(2), np.stack([np.arange(9), np.ones(9)], axis=1), default=0)

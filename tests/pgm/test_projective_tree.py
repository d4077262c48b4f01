"""`ProjectiveTree` beyond enumeration of its examples: longer sentences, both domains, hard messages, families."""

import numpy as np
import pytest

from hypergraph.batched import TreeChart, best_trees
from hypergraph.structures import ProjectiveTrees
from pgm import FactorGraph, check_factor
from pgm.errors import FactorGraphError
from pgm.factors import HypergraphFactor, ProjectiveTree


def all_arcs(n):
    return [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m]


def pruned(n, rng, share=0.6):
    """Some of the arcs, among them those of a chain."""
    arcs = [(h, m) for h, m in all_arcs(n) if h == m - 1 or rng.random() < share]
    return [arcs[i] for i in rng.permutation(len(arcs))]


def both(arcs, n, roots, factors=1):
    """The factor, and the same constraint from the hypergraph, by the generic engine in the log domain."""
    heads, modifiers = np.array(arcs).T
    variables = np.arange(factors * len(arcs)).reshape(factors, -1)
    trees = ProjectiveTrees(n, roots)
    uses = {h * (n + 1) + m: (position, 1) for position, (h, m) in enumerate(arcs)}
    possible = np.isin(np.arange(trees.num_weights), list(uses))
    reference = HypergraphFactor(
        variables, trees, uses, default=0, possible=possible, groups=modifiers - 1, check=False
    )
    return ProjectiveTree(variables, heads, modifiers, n, roots), reference


@pytest.mark.parametrize("roots", ["any", "one"])
@pytest.mark.parametrize("scale", [30.0, 1000.0])
def test_confident_messages(roots, scale):
    for factor in ProjectiveTree.examples(np.random.default_rng(1)):
        if factor.roots == roots:
            for seed, impossible in enumerate((0.0, 0.1, 0.25)):
                check_factor(factor, scale=scale, impossible=impossible, gradients=False, seed=seed)


@pytest.mark.parametrize("roots", ["any", "one"])
def test_gradients_with_hard_messages(roots):
    for factor in ProjectiveTree.examples(np.random.default_rng(2)):
        if factor.roots == roots and factor.degree <= 11:
            for seed in range(4):
                check_factor(factor, impossible=0.15, seed=seed)


@pytest.mark.parametrize("roots", ["any", "one"])
@pytest.mark.parametrize("scale", [1.0, 10.0, 100.0, 3000.0])
def test_agrees_with_the_generic_engine(roots, scale):
    """Messages, log-partition and adjoints for 9 words; large scales go through the log domain."""
    rng = np.random.default_rng(7)
    n = 9
    for arcs in (all_arcs(n), pruned(n, rng)):
        tree, reference = both(arcs, n, roots, factors=5)
        incoming = scale * rng.normal(size=(5, 2 * len(arcs)))
        incoming[3][rng.random(incoming.shape[1]) < 0.1] = -np.inf  # among them arcs that must be on: a contradiction
        incoming[4, 1::2][rng.random(len(arcs)) < 0.3] = -np.inf  # arcs that are off
        chain = arcs.index((2, 3))
        incoming[2, 2 * chain] = -np.inf  # one that must be on
        incoming[4, [2 * arcs.index((m - 1, m)) + 1 for m in range(1, n + 1)]] = 0.0
        ours, theirs = tree.run(incoming), reference.run(incoming, reference.prepare(None))
        np.testing.assert_allclose(ours.log_partition, theirs.log_partition, rtol=1e-12, atol=1e-11)
        possible = ours.log_partition > -np.inf
        assert possible[[0, 1, 2, 4]].all()
        tolerance = {"rtol": 1e-11, "atol": 1e-11 * scale}
        np.testing.assert_allclose(_odds(ours.messages[possible]), _odds(theirs.messages[possible]), **tolerance)
        best = reference.max_messages(incoming, reference.prepare(None))
        np.testing.assert_allclose(_odds(tree.max_messages(incoming)[possible]), _odds(best[possible]), **tolerance)
        adjoint = np.where(ours.messages > -np.inf, rng.normal(size=incoming.shape), 0.0)
        adjoint[:, 0::2] = -adjoint[:, 1::2]  # constants are free
        total = rng.normal(size=5)
        found, expected = ours.backward(adjoint, total)[0], theirs.backward(adjoint, total)[0]
        np.testing.assert_allclose(found, expected, atol=1e-8, rtol=1e-8)
        assert (found[incoming == -np.inf] == 0.0).all()


def _odds(messages):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(messages[:, 1::2] - messages[:, 0::2], nan=0.0, posinf=1e9, neginf=-1e9)


def test_both_domains_are_used():
    n = 20
    tree = ProjectiveTree(np.arange((n + 1) * n).reshape(n + 1, n))
    rng = np.random.default_rng(0)
    incoming = rng.normal(size=(1, 2 * tree.degree))
    assert not tree.run(incoming)._kept[-1].any()
    assert not tree.run(10.0 * incoming)._kept[-1].any()
    assert tree.run(1000.0 * incoming)._kept[-1].all()


def test_marginals_of_a_long_sentence():
    rng = np.random.default_rng(0)
    n = 40
    tree = ProjectiveTree(np.arange((n + 1) * n).reshape(n + 1, n), roots="one")
    incoming = 3.0 * rng.normal(size=(1, 2 * tree.degree))
    run = tree.run(incoming)
    product = incoming + run.messages
    odds = product[:, 1::2] - product[:, 0::2]
    scores = tree.layout.scatter(incoming[:, 1::2] - incoming[:, 0::2])
    (expected,) = TreeChart.run(scores, roots="one").marginals
    found = 1.0 / (1.0 + np.exp(-odds))
    np.testing.assert_allclose(found, tree.layout.gather(expected), atol=1e-13)
    heads = best_trees(scores, roots="one")[1][0]
    best = incoming + tree.max_messages(incoming)
    on = tree.layout.heads[best[0, 1::2] > best[0, 0::2]]
    assert sorted(on) == sorted(heads[1:])


def test_an_almost_certain_tree_loses_no_digits():
    """1 - p of the arcs of a tree that is better by 100 each: by the log-odds, not 0."""
    n = 3
    tree = ProjectiveTree(np.arange(12).reshape(4, 3))
    incoming = np.zeros((1, 24))
    for h, m in ((0, 1), (1, 2), (2, 3)):
        incoming[0, 2 * (h * n + m - 1) + 1] = 100.0
    messages = tree.run(incoming).messages
    last = 2 * (2 * n + 2)  # the arc 2 → 3: word 3 could as well hang on 0 or 1, or be the head of others
    np.testing.assert_allclose(messages[0, last + 1] - messages[0, last], -np.log(2.0), atol=1e-12)


def test_one_arc_must_be_on():
    tree = ProjectiveTree(np.arange(12).reshape(4, 3))
    incoming = np.zeros((1, 24))
    incoming[0, 2 * (3 * 3 + 0)] = -np.inf  # 3 → 1 is on
    run = tree.run(incoming)
    np.testing.assert_allclose(np.exp(run.log_partition), 2.0)
    others = run.messages[0].reshape(4, 3, 2)[:3, 0, 1]
    assert (others == -np.inf).all()  # word 1 has no other head


@pytest.mark.parametrize(
    "places",
    [
        [2 * 0, 2 * 3],  # 0 → 1 and 1 → 1: a loop that must be on
        [2 * 0, 2 * 6],  # 0 → 1 and 2 → 1: two heads
        [2 * 4, 2 * 6],  # 1 → 2 and 2 → 1: a cycle
        [0, 1],  # an arc without a state
        [1, 13, 19],  # word 1 without a head
    ],
)
def test_contradictions(places):
    tree = ProjectiveTree(np.arange(24).reshape(2, 4, 3))
    incoming = np.zeros((2, 24))
    incoming[1, places] = -np.inf
    run = tree.run(incoming)
    np.testing.assert_allclose(np.exp(run.log_partition), [12.0, 0.0])
    assert not np.isnan(run.messages).any()
    found, _ = run.backward(np.where(run.messages > -np.inf, 1.0, 0.0), np.ones(2))
    assert (found[1] == 0.0).all()
    assert np.isfinite(found).all()
    assert not np.isnan(tree.max_messages(incoming)).any()


def test_family_is_split_and_stacked():
    rng = np.random.default_rng(0)
    tree, _ = both(pruned(5, rng), 5, "any", factors=3)
    incoming = rng.normal(size=(3, 2 * tree.degree))
    parts = [tree.take(np.array([row])) for row in range(3)]
    assert parts[0].merge_key() == parts[2].merge_key()
    whole = ProjectiveTree.stack(parts)
    np.testing.assert_array_equal(whole.variables, tree.variables)
    for row in range(3):
        np.testing.assert_array_equal(
            parts[row].run(incoming[row : row + 1]).messages[0], whole.run(incoming).messages[row]
        )


def test_what_cannot_work_is_refused():
    graph = FactorGraph()
    with pytest.raises(FactorGraphError, match="2 states"):
        ProjectiveTree(graph.variables("arc", (3, 2), 3))
    with pytest.raises(FactorGraphError, match="'any' or 'one'"):
        ProjectiveTree(graph.variables("other", (3, 2)), roots="two")

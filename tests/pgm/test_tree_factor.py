"""The factor TREE: messages, hard evidence, pruning, families, and what it refuses."""

import numpy as np
import pytest

from hypergraph import log_partition, marginals
from hypergraph.structures import NonprojectiveTrees
from oracles.arborescences import all_trees
from pgm import BeliefPropagation, ContradictionError, FactorGraph, FactorGraphError, check_factor
from pgm.factors import Table, Tree

ROOTS = pytest.mark.parametrize("roots", ["any", "one"])


def full(n, roots, factors=1):
    return Tree(np.arange(factors * (n + 1) * n).reshape(factors, n + 1, n), roots=roots)


@ROOTS
def test_scores_are_of_trees(roots):
    """Over all assignments there are as many trees as there should be."""
    tree = full(3, roots)
    assignments = (np.arange(2**12)[:, None] >> np.arange(12)) & 1
    scores = np.concatenate([tree.score(assignment[None]) for assignment in assignments])
    assert (scores == 0.0).sum() == len(all_trees(3, roots))
    assert set(scores) == {0.0, -np.inf}


@ROOTS
@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize(("scale", "impossible"), [(1.0, 0.0), (1.0, 0.3), (300.0, 0.15), (5000.0, 0.0)])
def test_enumeration(roots, number, scale, impossible):
    tree = [tree for tree in Tree.examples(np.random.default_rng(0)) if tree.roots == roots][number]
    for seed in range(3):
        check_factor(tree, scale=scale, impossible=impossible, seed=seed, gradients=scale == 1.0 and seed == 0)


@ROOTS
@pytest.mark.parametrize("arc", [0, 4, 9])
@pytest.mark.parametrize("state", [0, 1])
def test_certain_arcs(roots, arc, state):
    """An arc that must be ON or OFF still gets the message that the others imply; its own says nothing to it."""
    tree = full(3, roots)
    rng = np.random.default_rng(arc)
    incoming = rng.normal(size=(1, 24))
    hard = incoming.copy()
    hard[0, 2 * arc + 1 - state] = -np.inf
    runs = tree.run(incoming, None), tree.run(hard, None)
    before, after = (run.messages[0, 2 * arc : 2 * arc + 2] for run in runs)
    np.testing.assert_allclose(after, before, rtol=1e-12)
    if np.isfinite(before).all():
        assert runs[1].log_partition < runs[0].log_partition


@ROOTS
def test_beliefs_are_marginals(roots):
    n = 12
    rng = np.random.default_rng(3)
    scores = 4.0 * rng.normal(size=(n + 1, n))
    graph = FactorGraph()
    arcs = graph.variables("arc", shape=(n + 1, n), states=["off", "on"])
    potentials = np.stack([np.zeros(scores.size), scores.ravel()], axis=1)
    graph.add(Table(arcs.ravel().index[:, None], potentials))
    graph.add(Tree(arcs, roots=roots))
    result = BeliefPropagation().run(graph)
    square = np.hstack([np.zeros((n + 1, 1)), scores])
    trees = NonprojectiveTrees(n, roots)
    expected = marginals(trees, square)
    found = np.array([[result.belief(arcs[h, m])[1] for m in range(n)] for h in range(n + 1)])
    np.testing.assert_allclose(found, expected[:, 1:], atol=1e-12)
    assert result.log_partition == pytest.approx(log_partition(trees, square), rel=1e-12)


@ROOTS
def test_without_a_tree_all_messages_are_impossible(roots):
    tree = full(3, roots)
    for on in ([0, 6], [4, 8, 9], [3]):  # two heads, a circle, a loop
        incoming = np.zeros((1, 24))
        incoming[0, 2 * np.array(on)] = -np.inf
        run = tree.run(incoming, None)
        assert run.log_partition[0] == -np.inf
        assert (run.messages == -np.inf).all()
        assert (tree.max_messages(incoming, None) == -np.inf).all()
        assert not run.backward(np.ones((1, 24)), np.ones(1))[0].any()


def test_contradiction_is_named():
    graph = FactorGraph()
    arcs = graph.variables("arc", shape=(3, 2))
    graph.add(Tree(arcs, roots="one", name="parse"))
    with pytest.raises(ContradictionError, match="parse"):
        BeliefPropagation().run(graph, evidence={arcs[0, 0]: 1, arcs[0, 1]: 1})


@ROOTS
def test_pruned_is_full_with_arcs_off(roots):
    rng = np.random.default_rng(4)
    n = 6
    whole = full(n, roots)
    keep = (rng.random((n + 1) * n) < 0.5) & ~whole.layout.loops
    keep[[h * n + h for h in range(n)]] = True  # the chain 0 → 1 → 2 …
    incoming = rng.normal(size=(1, 2 * len(keep)))
    incoming[0, 1::2][~keep] = -np.inf
    incoming[0, 0::2][~keep] = 0.0
    pruned = Tree(
        np.flatnonzero(keep), heads=whole.layout.heads[keep], modifiers=whole.layout.modifiers[keep], roots=roots
    )
    some = np.repeat(keep, 2)
    run, run_pruned = whole.run(incoming, None), pruned.run(incoming[:, some], None)
    np.testing.assert_allclose(run_pruned.log_partition, run.log_partition, rtol=1e-13)
    np.testing.assert_allclose(run_pruned.messages, run.messages[:, some], rtol=1e-12, atol=1e-12)
    found = pruned.max_messages(incoming[:, some], None)
    np.testing.assert_allclose(found, whole.max_messages(incoming, None)[:, some], rtol=1e-12, atol=1e-12)


@ROOTS
def test_family(roots):
    """A family does what its factors do one by one, also where some are wide, impossible or certain."""
    rng = np.random.default_rng(5)
    family = full(4, roots, factors=4)
    incoming = rng.normal(size=(4, 40))
    incoming[1] *= 1000.0
    incoming[2, 1::2] = -np.inf
    incoming[3, 0] = -np.inf
    run = family.run(incoming, None)
    adjoint, back = rng.normal(size=(4, 40)), np.ones(4)
    whole, _ = run.backward(adjoint, back)
    assert run.log_partition[2] == -np.inf
    assert not whole[2].any()
    for row in (0, 1, 3):
        single = family.take(np.array([row])).run(incoming[[row]], None)
        np.testing.assert_allclose(single.log_partition[0], run.log_partition[row], rtol=1e-13)
        np.testing.assert_allclose(single.messages[0], run.messages[row], rtol=1e-12)
        np.testing.assert_allclose(single.backward(adjoint[[row]], back[[row]])[0][0], whole[row], atol=1e-12)


def test_stack_and_take():
    first, second = full(2, "one"), full(2, "one")
    assert first.merge_key() == second.merge_key() != full(2, "any").merge_key()
    both = Tree.stack([first, second])
    assert both.num_factors == 2
    assert (both.take(np.array([1])).variables == second.variables).all()


@ROOTS
@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_adjoints_of_longer_sentences(roots, scale):
    """Along a random direction, by central differences."""
    rng = np.random.default_rng(6)
    n = 15
    tree = full(n, roots)
    incoming = scale * rng.normal(size=(1, 2 * n * (n + 1)))
    to_messages, to_log = rng.normal(size=incoming.shape), rng.normal(size=1)
    to_messages[:, 1::2][:, tree.layout.loops] = 0.0

    def value(messages):
        run = tree.run(messages, None)
        return (np.where(run.messages > -np.inf, run.messages, 0.0) * to_messages).sum() + run.log_partition @ to_log

    direction, step = rng.normal(size=incoming.shape), 1e-5
    found = (tree.run(incoming, None).backward(to_messages, to_log)[0] * direction).sum()
    expected = (value(incoming + step * direction) - value(incoming - step * direction)) / (2 * step)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_refused():
    with pytest.raises(FactorGraphError, match=r"shape \(3, 3\)"):
        Tree(np.arange(9).reshape(3, 3))
    with pytest.raises(FactorGraphError, match="both heads and modifiers"):
        Tree(np.arange(3), heads=[0, 0, 1])
    with pytest.raises(FactorGraphError, match="1 → 2 is there twice"):
        Tree(np.arange(3), heads=[0, 1, 1], modifiers=[1, 2, 2])
    with pytest.raises(FactorGraphError, match="word 2 has no arc"):
        Tree(np.arange(1), heads=[0], modifiers=[1], n=2)
    with pytest.raises(FactorGraphError, match="arc 1 is 1 → 0"):
        Tree(np.arange(2), heads=[0, 1], modifiers=[1, 0])
    with pytest.raises(FactorGraphError, match="3 arc variables, 2 heads"):
        Tree(np.arange(3), heads=[0, 1], modifiers=[1, 2])
    with pytest.raises(FactorGraphError, match="two states"):
        Tree(FactorGraph().variables("arc", shape=(3, 2), states=3))
    with pytest.raises(FactorGraphError, match="roots"):
        Tree(np.arange(6).reshape(3, 2), roots="few")

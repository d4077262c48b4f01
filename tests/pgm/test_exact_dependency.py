"""`ExactDependency` against the first-order factor and the hypergraphs that it is made of."""

import numpy as np
import pytest

from hypergraph import marginals
from hypergraph.structures import GrandSiblingTrees
from pgm import check_factor
from pgm.errors import FactorGraphError
from pgm.factors import ExactDependency, ProjectiveTree


def run(factor, incoming):
    return factor.run(incoming, factor.prepare(factor.potentials))


@pytest.mark.parametrize("scale", [30.0, 1000.0])
def test_confident_messages(scale):
    for seed, factor in enumerate(ExactDependency.examples(np.random.default_rng(3))):
        check_factor(factor, scale=scale, impossible=0.15 * (seed % 2), gradients=False, seed=seed)


def test_gradients_with_hard_messages():
    for seed, factor in enumerate(ExactDependency.examples(np.random.default_rng(4))):
        if factor.degree <= 9:
            check_factor(factor, impossible=0.15, seed=seed)


@pytest.mark.parametrize("roots", ["any", "one"])
@pytest.mark.parametrize("kinds", [("grandparents",), ("siblings",), ("grandparents", "siblings")])
def test_without_scores_it_is_the_tree_constraint(roots, kinds):
    rng = np.random.default_rng(0)
    n = 6
    arcs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m and (h == m - 1 or rng.random() < 0.7)]
    heads, modifiers = np.array(arcs).T
    variables = np.arange(2 * len(arcs)).reshape(2, -1)
    zeros = dict.fromkeys(kinds, np.zeros((n + 1,) * 3))
    exact = ExactDependency(variables, heads, modifiers, n, roots, **zeros)
    tree = ProjectiveTree(variables, heads, modifiers, n, roots)
    for scale in (1.0, 200.0):
        incoming = scale * rng.normal(size=(2, 2 * len(arcs)))
        incoming[1, 2 * arcs.index((1, 2))] = -np.inf  # 1 → 2 must be on
        ours, theirs = run(exact, incoming), tree.run(incoming)
        np.testing.assert_allclose(ours.log_partition, theirs.log_partition, rtol=1e-12)
        for found, expected in zip(ours.messages, theirs.messages, strict=True):
            off = expected[0::2] > -np.inf  # the arc that must be on has no OFF message where nothing else is left
            np.testing.assert_allclose(
                (found[1::2] - found[0::2])[off], (expected[1::2] - expected[0::2])[off], rtol=1e-11, atol=1e-9
            )


def test_beliefs_are_those_of_the_hypergraph():
    rng = np.random.default_rng(0)
    n = 5
    grandparents, siblings = rng.normal(size=(2, n + 1, n + 1, n + 1))
    factor = ExactDependency(np.arange((n + 1) * n).reshape(n + 1, n), grandparents=grandparents, siblings=siblings)
    incoming = rng.normal(size=(1, 2 * factor.degree))
    arcs = (incoming[0, 1::2] - incoming[0, 0::2]).reshape(n + 1, n)
    trees = GrandSiblingTrees(n)
    expected = marginals(trees, trees.weights(np.pad(arcs, ((0, 0), (1, 0))), grandparents, siblings))
    done = run(factor, incoming)
    np.testing.assert_allclose(done.beliefs[0, 0], expected.sum(axis=3), atol=1e-12)  # [g, h, m]
    np.testing.assert_allclose(done.beliefs[0, 1], expected.sum(axis=0), atol=1e-12)  # [h, m, s]
    product = done.messages + incoming
    on = 1.0 / (1.0 + np.exp(product[0, 0::2] - product[0, 1::2]))
    np.testing.assert_allclose(on.reshape(n + 1, n), trees.arc_marginals(expected)[:, 1:], atol=1e-12)


def test_contradiction():
    factor = ExactDependency(np.arange(6).reshape(3, 2), grandparents=np.zeros((3, 3, 3)))
    incoming = np.zeros((1, 12))
    incoming[0, [2 * 3, 2 * 4]] = -np.inf  # 1 → 2 and 2 → 1
    assert run(factor, incoming).log_partition[0] == -np.inf


def test_needs_something_to_score():
    with pytest.raises(FactorGraphError, match="ProjectiveTree"):
        ExactDependency(np.arange(6).reshape(3, 2))

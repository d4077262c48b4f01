"""Inference of the parser: exact where it should be, gradients through all of it, decoders that return trees."""

import itertools

import numpy as np
import pytest

from autodiff import Module, check_gradients
from nlp.deps.decoding import decode
from nlp.deps.inference import infer, pairs_of
from nlp.deps.objectives import loss_and_adjoints
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from pgm.matrix_tree import tree_marginals

TREES = ["projective", "nonprojective"]


def random_parts(n, rng, share=0.6):
    mask = rng.random((n + 1, n + 1)) < share
    mask[np.arange(n), np.arange(1, n + 1)] = True
    return Parts.of_mask(mask)


def test_pairs_are_all_pairs():
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 6):
        parts = random_parts(n, rng)
        arcs = list(zip(parts.heads.tolist(), parts.modifiers.tolist(), strict=True))
        grand = {(a, b) for a, (g, h) in enumerate(arcs) for b, (h2, m) in enumerate(arcs) if h == h2 and g != m}
        assert set(map(tuple, parts.grandparents.tolist())) == grand
        sibling = {(a, b) for a, b in itertools.combinations(range(len(arcs)), 2) if arcs[a][0] == arcs[b][0]}
        assert set(map(tuple, parts.siblings.tolist())) == sibling


@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("tree", TREES)
def test_first_order_is_exact(tree, roots):
    from hypergraph import marginals
    from hypergraph.structures import ProjectiveTrees

    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 12):
        parts = random_parts(n, rng)
        scores = 2 * rng.normal(size=len(parts))
        matrix = parts.matrix(scores, -np.inf)
        settings = ModelSettings(order=1, tree=tree, roots=roots)
        found = infer(parts, settings, scores, np.zeros(0)).beliefs
        if tree == "projective":
            expected = marginals(ProjectiveTrees(n, roots), matrix)
        else:
            expected = tree_marginals(matrix, roots=roots)
        np.testing.assert_allclose(found, expected[parts.heads, parts.modifiers], atol=1e-10)
        # Belief propagation on the factor graph says the same as inside-outside.
        bp = infer(parts, ModelSettings(order=2, tree=tree, roots=roots, grandparents=False, siblings=False), scores,
                   np.zeros(0)).beliefs  # fmt: skip
        np.testing.assert_allclose(bp, found, atol=1e-10)


def test_exact_second_order_is_what_enumeration_says():
    rng = np.random.default_rng(2)
    n = 4
    parts = Parts.all_arcs(n)
    settings = ModelSettings(siblings=False, inference="exact", roots="one")
    arcs, pairs = rng.normal(size=len(parts)), rng.normal(size=len(pairs_of(parts, settings)))
    found = infer(parts, settings, arcs, pairs)
    total, expected = 0.0, np.zeros(len(parts))
    first, second = parts.grandparents.T
    for heads in itertools.product(*[[h for h in range(n + 1) if h != m] for m in range(1, n + 1)]):
        if not _is_projective_tree(heads):
            continue
        on = parts.indicator(np.array([-1, *heads]))
        weight = np.exp(on @ arcs + (on[first] * on[second]) @ pairs)
        total += weight
        expected += weight * on
    np.testing.assert_allclose(found.beliefs, expected / total, atol=1e-10)
    assert abs(found.likelihood()[0] - np.log(total)) < 1e-9


def _is_projective_tree(heads) -> bool:
    if sum(h == 0 for h in heads) != 1:
        return False
    for m in range(1, len(heads) + 1):
        seen, at = set(), m
        while at:
            if at in seen:
                return False
            seen.add(at)
            at = heads[at - 1]
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


class Loss(Module):
    """scores of arcs and pairs → the loss of a sentence."""

    def __init__(self, objective, parts, settings, gold):
        self.arguments = objective, parts, settings
        self.gold = gold

    def forward(self, arcs, pairs):
        loss, *adjoints = loss_and_adjoints(*self.arguments, arcs, pairs, self.gold, temperature=0.3)
        self._keep(*adjoints)
        return np.array(loss)

    def backward(self, adjoint):
        return tuple(adjoint * kept for kept in self._kept())


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("objective", ["l2", "risk"])
@pytest.mark.parametrize("order", [1, 2])
def test_gradients_of_approximation_aware_losses(order, objective, tree):
    rng = np.random.default_rng(3)
    parts = random_parts(5, rng)
    settings = ModelSettings(order=order, tree=tree, iterations=3)
    arcs, pairs = rng.normal(size=len(parts)), 0.5 * rng.normal(size=len(pairs_of(parts, settings)))
    gold = np.arange(-1, 5)
    inputs = (arcs, pairs)
    check_gradients(Loss(objective, parts, settings, gold), *inputs).raise_if_failed()


@pytest.mark.parametrize("tree", TREES)
def test_gradient_of_exact_likelihood(tree):
    rng = np.random.default_rng(4)
    parts = random_parts(5, rng)
    settings = ModelSettings(order=1, tree=tree)
    gold = np.arange(-1, 5)
    check_gradients(Loss("cll", parts, settings, gold), rng.normal(size=len(parts)), np.zeros(0)).raise_if_failed()


def test_gradient_of_surrogate_likelihood_is_beliefs_minus_gold():
    rng = np.random.default_rng(5)
    parts = random_parts(5, rng)
    settings = ModelSettings(order=2, iterations=3)
    arcs, pairs = rng.normal(size=len(parts)), rng.normal(size=len(pairs_of(parts, settings)))
    gold = np.arange(-1, 5)
    _, on_arcs, on_pairs = loss_and_adjoints("cll", parts, settings, arcs, pairs, gold)
    _, arc_beliefs, pair_beliefs = infer(parts, settings, arcs, pairs, factors=True).likelihood()
    on = parts.indicator(gold)
    first, second = pairs_of(parts, settings).T
    np.testing.assert_allclose(on_arcs, arc_beliefs - on)
    np.testing.assert_allclose(on_pairs, pair_beliefs - on[first] * on[second])


@pytest.mark.parametrize("options", [
    {}, {"tree": "nonprojective"}, {"constraint": "exactly_one"}, {"constraint": "at_most_one"},
    {"constraint": "not_two", "no_two_cycle": True}, {"tree": "nonprojective", "constraint": "exactly_one"},
])  # fmt: skip
@pytest.mark.parametrize("roots", ["one", "any"])
@pytest.mark.parametrize("decoder", ["mbr", "log-odds"])
def test_decoders_return_trees(options, roots, decoder):
    rng = np.random.default_rng(6)
    for n in (1, 2, 7):
        parts = random_parts(n, rng)
        settings = ModelSettings(roots=roots, **options)
        scores = rng.normal(size=len(parts)), rng.normal(size=len(pairs_of(parts, settings)))
        heads = decode(parts, settings, infer(parts, settings, *scores).beliefs, decoder=decoder)
        assert heads[0] == -1
        if roots == "one":
            assert (heads == 0).sum() == 1
        for m in range(1, n + 1):
            steps, at = 0, m
            while at > 0:
                at = heads[at]
                steps += 1
                assert steps <= n

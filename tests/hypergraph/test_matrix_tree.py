"""Sums over non-projective trees: counts, enumeration, exact fractions, and what must not change them."""

import numpy as np
import pytest

from autodiff import Module, check_gradients
from hypergraph import WeightError, log_partition, marginals
from hypergraph.nonprojective import TreeSums, best_escape
from hypergraph.structures import NonprojectiveTrees
from oracles.arborescences import all_trees, exact_log_partition, exact_marginals, tree_scores

ROOTS = pytest.mark.parametrize("roots", ["any", "one"])


def trees_of(scores, roots):
    return NonprojectiveTrees(len(scores) - 1, roots)


def draw(rng, n, scale=1.0, impossible=0.0):
    scores = scale * rng.normal(size=(n + 1, n + 1))
    scores[rng.random(scores.shape) < impossible] = -np.inf
    return scores


@pytest.mark.parametrize("exact", [False, True])
def test_counts(exact):
    for n in [*range(1, 9), 60]:
        zeros = np.zeros((1, n + 1, n + 1))
        assert TreeSums(zeros, "any", exact=exact).log_partition[0] == pytest.approx((n - 1) * np.log(n + 1), rel=1e-13)
        assert TreeSums(zeros, "one", exact=exact).log_partition[0] == pytest.approx((n - 1) * np.log(n), rel=1e-13)


@ROOTS
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("impossible", [0.0, 0.35, 0.6])
def test_enumeration(roots, exact, impossible):
    """log Z, and the derivative of Z in each arc's weight, up to a constant for each word; also where an arc is not."""
    rng = np.random.default_rng(1)
    for draw_number in range(60):
        n = int(rng.integers(1, 6))
        scores = draw(rng, n, [1.0, 30.0, 1000.0][draw_number % 3], impossible)
        trees, weights = all_trees(n, roots), tree_scores(scores, roots)
        expected = np.logaddexp.reduce(weights)
        sums = TreeSums(scores[None], roots, exact=exact)
        if expected == -np.inf:
            assert sums.log_partition[0] == -np.inf
            assert not sums.marginals.any()
            continue
        assert sums.log_partition[0] == pytest.approx(expected, rel=1e-12)
        probabilities = sums.marginals[0]
        for m in range(1, n + 1):
            rest = scores.copy()
            rest[:, m] = 0.0
            others = tree_scores(rest, roots)
            slopes = np.array(
                [np.logaddexp.reduce(others[trees[:, m - 1] == h], initial=-np.inf) for h in range(n + 1)]
            )
            found = sums.log_escape[0, :, m]
            assert ((found == -np.inf) == (slopes == -np.inf)).all()
            constant = found[slopes > -np.inf] - slopes[slopes > -np.inf]
            assert np.ptp(constant) <= 1e-12 * max(1.0, np.abs(slopes[slopes > -np.inf]).max())
            for h in range(n + 1):
                probability = np.exp(weights[trees[:, m - 1] == h] - expected).sum()
                assert probabilities[h, m] == pytest.approx(probability, abs=1e-11)


@ROOTS
@pytest.mark.parametrize(("spread", "impossible"), [(2, 0.0), (150, 0.0), (150, 0.4), (1500, 0.0), (1500, 0.5)])
def test_exact_fractions(roots, spread, impossible):
    """Scores of 100 and 1,000 and more, where a determinant in floating point has no digit left."""
    rng = np.random.default_rng(2)
    for _ in range(4):
        n = 5 if spread > 1000 else 7
        powers = np.round(spread * rng.normal(size=(n + 1, n + 1)))
        powers[rng.random(powers.shape) < impossible] = -np.inf
        powers[0, 1], powers[np.arange(1, n), np.arange(2, n + 1)] = 1.0, 1.0  # so that there is a tree
        scores = powers * np.log(2.0)
        assert log_partition(trees_of(scores, roots), scores) == pytest.approx(
            exact_log_partition(powers, roots), rel=1e-12
        )
        np.testing.assert_allclose(
            marginals(trees_of(scores, roots), scores), exact_marginals(powers, roots), rtol=1e-10, atol=1e-300
        )


@ROOTS
def test_nearly_closed_cycles(roots):
    """Pairs of words that all but surely head each other: the Laplacian is singular to the last digit."""
    n = 6
    powers = np.zeros((n + 1, n + 1))
    for m in range(1, n + 1, 2):
        powers[m, m + 1] = powers[m + 1, m] = 300
    scores = powers * np.log(2.0)
    assert log_partition(trees_of(scores, roots), scores) == pytest.approx(
        exact_log_partition(powers, roots), rel=1e-13
    )
    np.testing.assert_allclose(marginals(trees_of(scores, roots), scores), exact_marginals(powers, roots), rtol=1e-12)


@ROOTS
@pytest.mark.parametrize("scale", [1.0, 20.0, 60.0])
@pytest.mark.parametrize("impossible", [0.0, 0.6])
def test_compiled_and_plain_agree(roots, scale, impossible):
    """Also their adjoints; a sentence in which the real domain is not safe is one of the others' batch."""
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 8, 13, 21):
        scores = np.stack([draw(rng, n, scale, impossible) for _ in range(3)])
        scores[:, np.arange(n), np.arange(1, n + 1)] = 1.0
        scores[1, :, 1] *= 1e3
        fast, plain = TreeSums(scores, roots), TreeSums(scores, roots, exact=True)
        assert 0 in fast.safe or (scale, impossible) == (60.0, 0.6)
        np.testing.assert_allclose(fast.log_partition, plain.log_partition, rtol=1e-13)
        np.testing.assert_allclose(fast.log_escape, plain.log_escape, rtol=1e-12, atol=1e-12)
        adjoint = rng.normal(size=scores.shape)
        np.testing.assert_allclose(fast.backward(adjoint), plain.backward(adjoint), atol=1e-11)


class _LogEscape(Module):
    def __init__(self, roots, exact):
        self.roots, self.exact = roots, exact

    def forward(self, scores):
        sums = TreeSums(scores, self.roots, exact=self.exact)
        return np.where(sums.log_escape == -np.inf, 0.0, sums.log_escape), lambda adjoint: (sums.backward(adjoint),)


@ROOTS
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("impossible", [0.0, 0.4])
def test_gradients(roots, exact, impossible):
    rng = np.random.default_rng(4)
    for n in (1, 2, 3, 5, 6):
        scores = draw(rng, n, 1.0, impossible)
        scores[np.arange(n), np.arange(1, n + 1)] = 0.5
        report = check_gradients(_LogEscape(roots, exact), scores[None], tolerance=1e-6)
        assert report.passed, report


@ROOTS
@pytest.mark.parametrize("scale", [3.0, 200.0])
def test_constant_for_a_word(roots, scale):
    """A constant on all arcs into a word moves log Z by as much, and no marginal."""
    rng = np.random.default_rng(5)
    scores = draw(rng, 20, scale)
    moved = scores + 500.0 * rng.normal(size=21)
    assert np.abs(marginals(trees_of(moved, roots), moved) - marginals(trees_of(scores, roots), scores)).max() < 1e-9
    change = log_partition(trees_of(moved, roots), moved) - log_partition(trees_of(scores, roots), scores)
    assert change == pytest.approx((moved - scores)[0, 1:].sum(), abs=1e-9)


@ROOTS
def test_best_tree_with_each_arc(roots):
    """Max-marginals; with ties, and where arcs are missing."""
    rng = np.random.default_rng(6)
    for draw_number in range(100):
        n = int(rng.integers(1, 6))
        scores = draw(rng, n, 50.0, 0.25)
        scores[np.arange(n), np.arange(1, n + 1)] = 0.0
        if draw_number % 2:
            scores = np.where(scores > -np.inf, np.round(np.maximum(scores, -1e9) / 50.0), -np.inf)
        trees = all_trees(n, roots)
        found = best_escape(scores[None], roots)[0]
        for m in range(1, n + 1):
            rest = scores.copy()
            rest[:, m] = 0.0
            others = tree_scores(rest, roots)
            slopes = np.array([others[trees[:, m - 1] == h].max(initial=-np.inf) for h in range(n + 1)])
            assert ((found[:, m] == -np.inf) == (slopes == -np.inf)).all()
            assert np.ptp(found[slopes > -np.inf, m] - slopes[slopes > -np.inf]) < 1e-10


@ROOTS
def test_marginals_of_long_sentences(roots):
    rng = np.random.default_rng(7)
    scores = draw(rng, 100, 5.0)
    probabilities = marginals(trees_of(scores, roots), scores)
    np.testing.assert_allclose(probabilities[:, 1:].sum(axis=0), 1.0, rtol=1e-12)
    if roots == "one":
        assert probabilities[0].sum() == pytest.approx(1.0, abs=1e-11)


def test_refused():
    scores = np.zeros((2, 3, 3))
    with pytest.raises(ValueError, match="'some'"):
        TreeSums(scores, "some")
    with pytest.raises(WeightError, match="shape"):
        TreeSums(scores[:, :2], "any")
    with pytest.raises(WeightError, match="shape"):
        TreeSums(scores, "any").backward(scores[0])
    scores[1, 1, 2] = np.nan
    with pytest.raises(WeightError, match="arc 1 → 2 of sentence 1 is NaN"):
        TreeSums(scores, "any")

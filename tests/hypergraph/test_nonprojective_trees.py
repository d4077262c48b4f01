"""Non-projective trees beyond the conformance tests: ties, confident scores, long sentences, and no copies."""

from itertools import islice, product

import numpy as np
import pytest

from hypergraph import WeightError, count, entropy, iterate_best, kbest, log_partition, marginals, sample, viterbi
from hypergraph.structures import NonprojectiveTrees, ProjectiveTrees
from oracles import enumeration

ROOTS = pytest.mark.parametrize("roots", ["any", "one"])


def draw(rng, n, scale=1.0, impossible=0.0):
    scores = scale * rng.normal(size=(n + 1, n + 1))
    scores[rng.random(scores.shape) < impossible] = -np.inf
    scores[np.arange(n), np.arange(1, n + 1)] = 0.0  # so that there is a tree
    return scores


@ROOTS
@pytest.mark.parametrize("impossible", [0.0, 0.4])
def test_kbest_with_ties(roots, impossible):
    """Every tree once and in order, though most of them tie."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        trees = NonprojectiveTrees(int(rng.integers(1, 5)), roots)
        scores = np.round(draw(rng, trees.n, 1.0, impossible))
        listed = enumeration(trees)
        expected = listed.scores(scores)
        possible = {listed.objects[i] for i in np.flatnonzero(expected > -np.inf)}
        found = kbest(trees, scores, k=len(listed) + 1)
        assert [d.score for d in found] == sorted(expected[expected > -np.inf], reverse=True)
        decoded = [tuple(trees.decode(d).tolist()) for d in found]
        assert len(decoded) == len(set(decoded))
        assert set(decoded) == possible


@ROOTS
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_kbest_of_a_long_sentence(roots, scale):
    """In order, all different, all trees; the first is the best."""
    trees = NonprojectiveTrees(30, roots)
    scores = draw(np.random.default_rng(1), 30, scale)
    found = list(islice(iterate_best(trees, scores), 50))
    assert len({derivation.weights.tobytes() for derivation in found}) == 50
    told = [derivation.score for derivation in found]
    assert told == sorted(told, reverse=True)
    for derivation in found:
        heads = trees.decode(derivation)
        assert roots == "any" or (heads == 0).sum() == 1
        assert derivation.score == pytest.approx(scores[heads[1:], np.arange(1, 31)].sum(), rel=1e-12)
        above = np.maximum(heads, 0)
        for _ in range(5):
            above = above[above]
        assert not above.any()
    np.testing.assert_array_equal(found[0].weights, viterbi(trees, scores).weights)


@ROOTS
@pytest.mark.parametrize(("scale", "impossible"), [(1.0, 0.0), (100.0, 0.0), (2.0, 0.5), (100.0, 0.4)])
def test_samples_are_as_frequent_as_they_should_be(roots, scale, impossible):
    """Pearson's statistic summed over draws, also with confident scores, where a walk at random would not end."""
    rng = np.random.default_rng(2)
    size, statistic, freedom = 2000, 0.0, 0
    for seed in range(12):
        trees = NonprojectiveTrees(int(rng.integers(2, 5)), roots)
        scores = draw(rng, trees.n, scale, impossible)
        scores[1, 2] = scores[2, 1] = 3.0 * scale  # two words that prefer each other
        listed = enumeration(trees)
        p = listed.probabilities(scores)
        number = {value: index for index, value in enumerate(listed.objects)}
        drawn = [number[tuple(trees.decode(d).tolist())] for d in sample(trees, scores, size, seed=seed)]
        seen = np.bincount(drawn, minlength=len(p))
        assert (seen[p == 0] == 0).all()
        assert seen[p < 1e-9].sum() == 0
        often = p * size >= 5
        expected = np.append(p[often], p[~often].sum()) * size
        counts = np.append(seen[often], seen[~often].sum())
        if expected[-1] < 1:
            expected, counts = expected[:-1], counts[:-1]
        statistic += ((counts - expected) ** 2 / expected).sum()
        freedom += len(expected) - 1
    assert statistic < freedom + 4.5 * np.sqrt(2 * freedom + 1)


@ROOTS
def test_samples_of_a_long_sentence_have_its_marginals(roots):
    n, size = 12, 600
    trees = NonprojectiveTrees(n, roots)
    scores = draw(np.random.default_rng(3), n, 2.0, 0.3)
    drawn = sample(trees, scores, size, seed=0)
    mean = np.mean([derivation.counts() for derivation in drawn], axis=0)
    p = marginals(trees, scores).ravel()
    assert (np.abs(mean - p) <= 5.0 * np.sqrt(p * (1.0 - p) / size) + 1e-12).all()


def test_the_first_samples_do_not_depend_on_how_many_there_are():
    trees = NonprojectiveTrees(5)
    scores = draw(np.random.default_rng(4), 5)
    few, many = (sample(trees, scores, size, seed=7) for size in (3, 600))
    assert [d.weights.tolist() for d in few] == [d.weights.tolist() for d in many[:3]]
    assert sample(trees, scores, 0, seed=0) == []


@ROOTS
def test_counts_of_what_is_possible(roots):
    n = 40
    chain = np.full((n + 1, n + 1), -np.inf)
    chain[np.arange(n), np.arange(1, n + 1)] = 0.0
    assert count(NonprojectiveTrees(n, roots), chain) == 1
    chain[0, 1] = -np.inf
    assert count(NonprojectiveTrees(n, roots), chain) == 0


@ROOTS
@pytest.mark.parametrize("scale", [1.0, 100.0, 1e6])
def test_entropy_of_confident_scores(roots, scale):
    """Also relative to itself: nothing is left of the size of the scores."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        trees = NonprojectiveTrees(4, roots)
        scores = scale * np.round(draw(rng, 4, 1.0, 0.2), 1)
        assert entropy(trees, scores) == pytest.approx(enumeration(trees).entropy(scores), rel=1e-9, abs=1e-13)


@ROOTS
def test_projective_trees_are_among_them(roots):
    """With scores that only a projective tree can have, both structures give the same answers."""
    n = 5
    scores = np.full((n + 1, n + 1), -np.inf)
    near = np.abs(np.arange(n + 1)[:, None] - np.arange(n + 1)) == 1
    scores[near] = np.random.default_rng(6).normal(size=near.sum())
    both = ProjectiveTrees(n, roots), NonprojectiveTrees(n, roots)
    assert log_partition(both[0], scores) == pytest.approx(log_partition(both[1], scores), rel=1e-13)
    np.testing.assert_allclose(*(marginals(trees, scores) for trees in both), atol=1e-13)
    np.testing.assert_array_equal(*(trees.best(scores)[1] for trees in both))


@pytest.mark.parametrize("kind", [ProjectiveTrees, NonprojectiveTrees])
def test_checked_weights_are_not_copied(kind):
    trees, scores = kind(6), draw(np.random.default_rng(7), 6)
    assert trees.check_weights(scores) is scores
    chart = trees.run(scores)
    assert np.shares_memory(chart.batch.scores, scores)
    assert np.shares_memory(chart.weight_marginals, chart.batch.marginals[0])


@ROOTS
@pytest.mark.parametrize("kind", [ProjectiveTrees, NonprojectiveTrees])
def test_what_is_one_of_the_trees(kind, roots):
    for n in (1, 2, 3, 4):
        trees = kind(n, roots)
        every = {(-1, *heads) for heads in product(range(n + 1), repeat=n)}
        assert {heads for heads in every if trees.contains(heads)} == set(enumeration(trees).objects)
    assert not trees.contains([-1, 0, 1, 2, 5])
    assert not trees.contains([-1, 0, 1, 2, -1])
    with pytest.raises(WeightError, match=r"shape \(5,\), not \(4,\)"):
        trees.contains([0, 1, 2, 3])

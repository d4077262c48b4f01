"""The best non-projective tree against enumeration, and on sentences too long for that."""

import numpy as np
import pytest

from hypergraph import ImpossibleError
from hypergraph.structures import NonprojectiveTrees
from oracles.arborescences import all_trees, tree_scores

ROOTS = pytest.mark.parametrize("roots", ["any", "one"])


def best(scores, roots):
    return NonprojectiveTrees(len(scores) - 1, roots).best(scores)


@ROOTS
@pytest.mark.parametrize("impossible", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("ties", [False, True])
def test_enumeration(roots, impossible, ties):
    rng = np.random.default_rng(1)
    for _ in range(250):
        n = int(rng.integers(1, 6))
        scores = rng.integers(0, 3, size=(n + 1, n + 1)) * 1.0 if ties else 100.0 * rng.normal(size=(n + 1, n + 1))
        scores[rng.random(scores.shape) < impossible] = -np.inf
        greatest = tree_scores(scores, roots).max()
        if greatest == -np.inf:
            with pytest.raises(ImpossibleError, match="NonprojectiveTrees"):
                best(scores, roots)
            continue
        score, heads = best(scores, roots)
        assert heads[0] == -1
        assert (all_trees(n, roots) == heads[1:]).all(axis=1).any()
        assert scores[heads[1:], np.arange(1, n + 1)].sum() == pytest.approx(greatest, abs=1e-10)
        assert score == pytest.approx(greatest, abs=1e-10)


@ROOTS
@pytest.mark.parametrize("n", [40, 150])
def test_long_sentences(roots, n):
    """A tree, with one root where it must, and no single change of a head makes a better one."""
    rng = np.random.default_rng(n)
    scores = rng.normal(size=(n + 1, n + 1)) + 3.0 * rng.normal(size=(n + 1, 1))
    _, heads = best(scores, roots)
    assert (roots == "any") or (heads == 0).sum() == 1
    below = np.eye(n + 1, dtype=bool)  # below[h, m]: m hangs on h
    above = np.maximum(heads, 0)
    place = np.arange(n + 1)
    for _ in range(n + 1):
        place = above[place]
        below[place, np.arange(n + 1)] = True
    assert not place.any()
    for m in range(1, n + 1):
        allowed = ~below[m]
        allowed[0] &= roots == "any" or heads[m] == 0
        if roots == "one" and heads[m] == 0:
            continue
        assert scores[allowed, m].max() <= scores[heads[m], m]


def test_cycle_within_cycle():
    scores = np.full((5, 5), -np.inf)
    scores[0, 1], scores[0, 4] = 1.0, 0.0
    scores[2, 1], scores[1, 2] = 9.0, 9.0
    scores[3, 1], scores[2, 3] = 7.0, 8.0
    scores[4, 2], scores[3, 4] = 6.0, 8.0
    for roots in ("any", "one"):
        score, heads = best(scores, roots)
        greatest = tree_scores(scores, roots).max()
        assert scores[heads[1:], np.arange(1, 5)].sum() == score == greatest


def test_same_every_time():
    assert all((best(np.zeros((6, 6)), "any")[1] == [-1, 0, 0, 0, 0, 0]).all() for _ in range(3))

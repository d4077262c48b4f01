"""The best non-projective tree against enumeration, and on sentences too long for that."""

import numpy as np
import pytest

from oracles.arborescences import all_trees, tree_scores
from pgm import ContradictionError
from pgm.arborescence import maximum_arborescence

ROOTS = pytest.mark.parametrize("roots", ["any", "one"])


@ROOTS
@pytest.mark.parametrize("impossible", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("ties", [False, True])
def test_enumeration(roots, impossible, ties):
    rng = np.random.default_rng(1)
    for _ in range(250):
        n = int(rng.integers(1, 6))
        scores = rng.integers(0, 3, size=(n + 1, n + 1)) * 1.0 if ties else 100.0 * rng.normal(size=(n + 1, n + 1))
        scores[rng.random(scores.shape) < impossible] = -np.inf
        best = tree_scores(scores, roots).max()
        if best == -np.inf:
            with pytest.raises(ContradictionError, match="no tree"):
                maximum_arborescence(scores, roots=roots)
            continue
        heads = maximum_arborescence(scores, roots=roots)
        assert heads[0] == -1
        assert (all_trees(n, roots) == heads[1:]).all(axis=1).any()
        assert scores[heads[1:], np.arange(1, n + 1)].sum() == pytest.approx(best, abs=1e-10)


@ROOTS
@pytest.mark.parametrize("n", [40, 150])
def test_long_sentences(roots, n):
    """A tree, with one root where it must, and no single change of a head makes a better one."""
    rng = np.random.default_rng(n)
    scores = rng.normal(size=(n + 1, n + 1)) + 3.0 * rng.normal(size=(n + 1, 1))
    heads = maximum_arborescence(scores, roots=roots)
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
        heads = maximum_arborescence(scores, roots=roots)
        best = tree_scores(scores, roots).max()
        assert scores[heads[1:], np.arange(1, 5)].sum() == best


def test_same_every_time():
    assert all((maximum_arborescence(np.zeros((6, 6))) == [-1, 0, 0, 0, 0, 0]).all() for _ in range(3))

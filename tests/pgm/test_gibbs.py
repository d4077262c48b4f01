"""Gibbs sampling agrees with exact marginals, within what chance allows."""

import numpy as np
import pytest

from pgm import ContradictionError, FactorGraph, FactorGraphError
from pgm.exact import BruteForce
from pgm.factors import AtMostOne, Table
from pgm.sampling import Gibbs


def loopy(seed: int) -> FactorGraph:
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    x = [graph.variable(f"x{i}", int(card)) for i, card in enumerate(rng.integers(2, 4, size=6))]
    for i, j in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 3)):
        graph.add(Table([x[i], x[j]], 0.7 * rng.normal(size=(x[i].cardinality, x[j].cardinality))))
    return graph


@pytest.mark.parametrize("seed", range(4))
def test_marginals(seed):
    graph = loopy(seed)
    evidence = {2: 1} if seed % 2 else None
    exact = BruteForce().run(graph, evidence=evidence)
    estimate = Gibbs(sweeps=400, burn_in=50, chains=100, seed=seed).run(graph, evidence=evidence)
    for found, expected in zip(estimate.beliefs, exact.beliefs, strict=True):
        np.testing.assert_allclose(found, expected, atol=0.01)
    assert estimate.samples.shape == (100, 6)


def test_the_same_seed_gives_the_same_numbers():
    graph = loopy(0)
    first, again, other = (Gibbs(sweeps=5, seed=seed).run(graph) for seed in (3, np.random.default_rng(3), 4))
    np.testing.assert_array_equal(np.concatenate(first.beliefs), np.concatenate(again.beliefs))
    assert (np.concatenate(first.beliefs) != np.concatenate(other.beliefs)).any()


def test_large_factors_are_scored():
    graph = FactorGraph()
    x = graph.variables("x", 13)
    graph.add(AtMostOne(x))  # 8192 assignments: no table is made of it
    graph.add(Table(x[np.arange(13)[:, None]], np.random.default_rng(0).normal(size=(13, 2))))
    estimate = Gibbs(sweeps=400, burn_in=50, chains=50).run(graph)
    np.testing.assert_allclose(estimate.belief(x), BruteForce().run(graph).belief(x), atol=0.015)
    assert (estimate.samples.sum(axis=1) <= 1).all()


def test_a_start_is_found_or_refused():
    graph = FactorGraph()
    x = graph.variables("x", 12)
    pairs = np.stack([np.arange(11), np.arange(1, 12)], axis=1)
    graph.add(Table(x[pairs], [[0.0, -np.inf], [-np.inf, 0.0]]))
    result = Gibbs(sweeps=1, burn_in=0).run(graph)
    assert all(graph.score(state) == 0.0 for state in result.samples)
    with pytest.raises(FactorGraphError, match="start"):
        Gibbs().run(graph, start=np.arange(12) % 2)
    with pytest.raises(ContradictionError):
        Gibbs().run(graph, evidence={x[0]: 0, x[11]: 1})

"""k-best is lazy, in order and without recursion."""

import numpy as np
import pytest

from hypergraph import HypergraphBuilder, iterate_best, kbest, viterbi
from hypergraph.kbest import _LazySearch
from hypergraph.semirings import KBest
from hypergraph.structures import LinearChain, ProjectiveTrees


@pytest.fixture(scope="module")
def long_chain():
    """A chain of 2,000 binary choices that have nothing to do with each other, and their gaps in ascending order."""
    chain = LinearChain(2000, 2)
    unary = np.zeros((2000, 2))
    unary[:, 1] = -np.random.default_rng(0).permutation(np.linspace(1.0, 3.0, 2000))
    return chain, chain.weights(unary), np.sort(-unary[:, 1])


def test_a_long_chain(long_chain):
    chain, weights, gaps = long_chain
    # With gaps in [1, 3] the best are: none flipped, then one flipped, the cheapest first.
    scores = [derivation.score for derivation in kbest(chain, weights, k=6)]
    np.testing.assert_allclose(scores, [0.0, *-gaps[:5]], atol=1e-9)
    flipped = [int(chain.decode(derivation).sum()) for derivation in kbest(chain, weights, k=6)]
    assert flipped == [0, 1, 1, 1, 1, 1]


def test_only_what_is_asked_for_is_found(long_chain):
    chain, weights, _ = long_chain
    search = _LazySearch(chain.graph, weights)
    assert search.find(chain.graph.root, 0)
    assert sum(map(len, search.found.values())) == 1  # the best needs nothing but the max-plus inside pass
    assert search.find(chain.graph.root, 3)
    assert sum(map(len, search.found.values())) <= 4 * 2 * chain.graph.num_nodes


def test_best_first_without_an_end():
    trees = ProjectiveTrees(30)  # 10^21 trees and more
    weights = np.random.default_rng(0).normal(size=(31, 31))
    best = iterate_best(trees, weights)
    scores = [next(best).score for _ in range(200)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(viterbi(trees, weights).score)
    semiring = KBest(20)
    by_semiring = semiring.inside(trees.graph, semiring.lift(weights.ravel()))[trees.graph.root]
    np.testing.assert_allclose(scores[:20], by_semiring, atol=1e-9)


def test_all_tied():
    found = kbest(ProjectiveTrees(5), np.zeros((6, 6)), k=1000)
    assert len({derivation.edges.tobytes() for derivation in found}) == len(found) == 273


def test_k_must_be_positive():
    with pytest.raises(ValueError, match="k is 0, but must be a whole number, 1 or above"):
        kbest(ProjectiveTrees(2), np.zeros((3, 3)), k=0)


def test_the_best_derivation_is_the_first_of_those_that_tie():
    builder = HypergraphBuilder()
    for name in "abc":
        builder.edge("goal", weight=name)
    graph = builder.build("goal")
    assert viterbi(graph, [1.0, 2.0, 2.0]).edges.tolist() == [1]
    assert [d.edges.tolist() for d in kbest(graph, [1.0, 2.0, 2.0], k=3)] == [[1], [2], [0]]

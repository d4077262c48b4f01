"""NOCROSS: what crosses, pairwise sums as the reference, and whole sentences."""

import itertools

import numpy as np
import pytest

from pgm import FactorGraph, FactorGraphError, check_factor
from pgm.factors import NoCross


def crosses(i: int, j: int, k: int, other: int) -> bool:
    """Smith & Eisner 2008, §3.3, word for word."""
    low, high = min(i, j), max(i, j)
    strictly_inside = [low < place < high for place in (k, other)]
    strictly_outside = [place < low or place > high for place in (k, other)]
    return (strictly_inside[0] and strictly_outside[1]) or (strictly_inside[1] and strictly_outside[0])


def all_arcs(words: int) -> np.ndarray:
    return np.arange((words + 1) * words).reshape(words + 1, words)


@pytest.mark.parametrize("words", [2, 3, 4, 6])
def test_score_of_every_pair_of_heads(words):
    """A pair of arcs has its factor's log-potential if it crosses, else 0; other numbers of heads are forbidden."""
    w = np.random.default_rng(words).normal(size=words * (words - 1) // 2)
    factor = NoCross.of_arcs(all_arcs(words), w)
    for row, (j, other) in enumerate(itertools.combinations(range(1, words + 1), 2)):
        arcs = [(int(v) // words, int(v) % words + 1) for v in factor.variables[row]]
        assert set(arcs) == {(h, m) for m in (j, other) for h in range(words + 1) if h != m}
        for i, k in itertools.product(range(words + 1), repeat=2):
            if i != j and k != other:
                assignment = np.zeros(factor.variables.shape, dtype=np.int64)
                assignment[row, [arcs.index((i, j)), arcs.index((k, other))]] = 1
                assert factor.score(assignment)[row] == (w[row] if crosses(i, j, k, other) else 0.0)
                assignment[row, arcs.index((i, j))] = 0
                assert factor.score(assignment)[row] == -np.inf


@pytest.mark.parametrize("words", [2, 3, 4])
@pytest.mark.parametrize("soft", [False, True])
def test_agrees_with_enumeration(words, soft):
    w = np.random.default_rng(0).normal(size=words * (words - 1) // 2) if soft else None
    factor = NoCross.of_arcs(all_arcs(words), w)
    for row in range(factor.num_factors):
        single = factor.take(np.array([row]))
        check_factor(single, seed=row)
        for seed in range(4):
            check_factor(single, impossible=0.15, seed=seed)
        check_factor(single, scale=1e4, impossible=0.1, gradients=False, seed=row)


@pytest.mark.parametrize("scale", [1.0, 30.0, 3000.0])
def test_long_sentence_against_pairs(scale):
    """n = 12, where enumeration is out of reach: the O(n²) sum of eq. 9 for each factor."""
    words = 12
    rng = np.random.default_rng(1)
    w = rng.normal(size=words * (words - 1) // 2)
    factor = NoCross.of_arcs(all_arcs(words), w)
    incoming = scale * rng.normal(size=(factor.num_factors, 4 * words))
    run = factor.run(incoming, factor.prepare(w))
    pairs = incoming.reshape(factor.num_factors, -1, 2)
    odds = pairs[..., 1] - pairs[..., 0]
    for row, (j, other) in enumerate(itertools.combinations(range(1, words + 1), 2)):
        heads = factor.heads[row]
        first, second = heads[:words], heads[words:]
        table = odds[row, :words, None] + odds[row, words:]
        table += [[w[row] * crosses(i, j, k, other) for k in second] for i in first]
        total = np.logaddexp.reduce(table, axis=None)
        assert run.log_partition[row] == pytest.approx(total + pairs[row, :, 0].sum(), rel=1e-12)
        cross = np.array([[crosses(i, j, k, other) for k in second] for i in first])
        assert run.beliefs[row] == pytest.approx(np.exp(table - total)[cross].sum(), rel=1e-10, abs=1e-300)
        sums = np.concatenate([np.logaddexp.reduce(table, axis=1), np.logaddexp.reduce(table, axis=0)])
        for d in range(2 * words):
            group = slice(0, words) if d < words else slice(words, None)
            others = np.delete(sums[group], d % words)
            expected = sums[d] - odds[row, d] - np.logaddexp.reduce(others)
            sent = run.messages[row].reshape(-1, 2)[d]
            assert sent[1] - sent[0] == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_hard_constraint_has_no_potentials():
    factor = NoCross.of_arcs(all_arcs(3))
    assert factor.potentials is None
    assert factor.run(np.zeros((3, 12)), factor.prepare(None)).beliefs is None


def test_stack_of_sentences_of_the_same_degree():
    soft = NoCross.of_arcs(all_arcs(4), np.arange(6.0))
    again = NoCross.stack([soft.take(np.array([0, 1])), soft.take(np.arange(2, 6))])
    incoming = np.random.default_rng(2).normal(size=(6, 16))
    np.testing.assert_array_equal(again.potentials, soft.potentials)
    for family in (again, soft):
        np.testing.assert_array_equal(
            family.run(incoming, family.prepare(family.potentials)).messages,
            soft.run(incoming, soft.prepare(soft.potentials)).messages,
        )
    assert soft.merge_key() != NoCross.of_arcs(all_arcs(4)).merge_key()


def test_errors_say_what_is_wrong():
    with pytest.raises(FactorGraphError, match="two different modifiers"):
        NoCross(np.arange(2), heads=[0, 0], modifiers=[1, 1])
    with pytest.raises(FactorGraphError, match="not from the modifier itself"):
        NoCross(np.arange(2), heads=[0, 2], modifiers=[1, 2])
    with pytest.raises(FactorGraphError, match="each arc once"):
        NoCross(np.arange(3), heads=[0, 0, 1], modifiers=[1, 1, 2])
    with pytest.raises(FactorGraphError, match=r"shape \(3, 3\)"):
        NoCross.of_arcs(FactorGraph().variables("arc", shape=(3, 3)))

"""Projectivity by its definition, and the nearest projective tree against all trees."""

from itertools import product

import numpy as np
import pytest

from nlp.conll import is_projective, nonprojective_arcs, projectivise, projectivise_all
from nlp.conll.tree_check import find_cycle


def all_trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in product(range(n + 1), repeat=n) if not find_cycle(heads)]


def random_tree(n: int, rng: np.random.Generator) -> np.ndarray:
    """Hang the words, in random order, below one another."""
    order = rng.permutation(n) + 1
    heads = np.zeros(n, dtype=np.int64)
    for i in range(1, n):
        heads[order[i] - 1] = order[rng.integers(i)]
    return heads


def is_below(heads, word: int, ancestor: int) -> bool:
    while word and word != ancestor:
        word = heads[word - 1]
    return word == ancestor


def crossing_by_definition(heads) -> list[bool]:
    return [
        head > 0 and not all(is_below(heads, k, head) for k in range(min(head, word) + 1, max(head, word)))
        for word, head in enumerate(heads, start=1)
    ]


def arcs_cross(heads) -> bool:
    """Whether two arcs cross when they are drawn above the words, the root at position 0."""
    spans = [tuple(sorted((head, word))) for word, head in enumerate(heads, start=1)]
    return any(a < c < b < d for a, b in spans for c, d in spans)


def test_cayley():
    assert [len(all_trees(n)) for n in range(1, 5)] == [1, 3, 16, 125]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_small_trees(n):
    for heads in all_trees(n):
        assert nonprojective_arcs(heads).tolist() == crossing_by_definition(heads)
        assert is_projective(heads) == (not arcs_cross(heads))


def test_random_trees():
    rng = np.random.default_rng(1)
    for n in rng.integers(5, 30, size=100):
        heads = random_tree(n, rng)
        assert nonprojective_arcs(heads).tolist() == crossing_by_definition(heads)


@pytest.mark.parametrize("roots", ["any", "one"])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_no_projective_tree_keeps_more_arcs(n, roots):
    trees = all_trees(n)
    projective = np.array(
        [heads for heads in trees if not arcs_cross(heads) and (roots == "any" or heads.count(0) == 1)]
    )
    given = trees if n < 5 else trees[::7]
    for heads, result in zip(given, projectivise_all(given, roots=roots), strict=True):
        assert is_projective(result)
        assert roots == "any" or (result == 0).sum() == 1
        assert (result == heads).sum() == (projective == heads).sum(axis=1).max()
        if is_projective(heads) and (roots == "any" or heads.count(0) == 1):
            assert tuple(result) == heads


def test_lost_words_are_lifted():
    assert projectivise([0, 4, 1, 1]).tolist() == [0, 1, 1, 1]
    assert projectivise([2, 3, 0, 3, 2, 5, 3]).tolist() == [2, 3, 0, 3, 3, 5, 3]
    assert projectivise([5, 1, 2, 5, 0, 3]).tolist() == [5, 1, 2, 5, 0, 5]


def test_the_result_does_not_depend_on_the_batch():
    rng = np.random.default_rng(2)
    trees = [random_tree(n, rng) for n in rng.integers(1, 40, size=60)]
    for heads, result in zip(trees, projectivise_all(trees), strict=True):
        assert is_projective(result)
        np.testing.assert_array_equal(result, projectivise(heads))


def test_long_sentences_share_batches():
    rng = np.random.default_rng(3)
    trees = [random_tree(n, rng) for n in (300, 2, 200, 300, 7)]
    for heads, result in zip(trees, projectivise_all(trees), strict=True):
        assert len(heads) == len(result)
        assert is_projective(result)


def test_what_is_no_tree_is_refused():
    for heads in ([2, 1], [1], [3, 0], [-1, 0], [[0]], [0.5]):
        with pytest.raises(ValueError, match="expected"):
            nonprojective_arcs(heads)
        with pytest.raises(ValueError, match="expected"):
            projectivise(heads)
    with pytest.raises(ValueError, match="roots is"):
        projectivise([0], roots="two")
    assert nonprojective_arcs([]).tolist() == []
    assert projectivise_all([]) == []

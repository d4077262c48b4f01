"""Sparse adjoints stand for dense ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import SparseAdjoint

SHAPES = [(5,), (5, 2), (5, 2, 3), (5, 1)]


def draw(rng: np.random.Generator, shape: tuple[int, ...], count: int) -> tuple[SparseAdjoint, np.ndarray]:
    indices, values = rng.integers(shape[0], size=count), rng.normal(size=(count, *shape[1:]))
    dense = np.zeros(shape)
    for index, value in zip(indices, values, strict=True):
        dense[index] += value
    return SparseAdjoint(indices, values, shape), dense


@pytest.mark.parametrize("shape", SHAPES)
@given(count=st.integers(0, 12), seed=st.integers(0, 1000))
def test_dense_coalesced_and_sums(shape: tuple[int, ...], count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sparse, dense = draw(rng, shape, count)
    other, other_dense = draw(rng, shape, 3)
    array = rng.normal(size=shape)
    before = array.copy()
    np.testing.assert_allclose(sparse.dense(), dense, atol=1e-14)
    np.testing.assert_allclose(sparse.coalesced().dense(), dense, atol=1e-14)
    assert np.all(np.diff(sparse.coalesced().indices) > 0)
    total = sparse + other
    assert isinstance(total, SparseAdjoint)
    np.testing.assert_allclose(total.dense(), dense + other_dense, atol=1e-14)
    for mixed in (sparse + array, array + sparse):
        assert isinstance(mixed, np.ndarray)
        np.testing.assert_allclose(mixed, dense + array, atol=1e-14)
    assert np.array_equal(array, before)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        SparseAdjoint(np.array([0, 1]), np.array([1.0]), (3,))
    with pytest.raises(ValueError, match="shapes"):
        SparseAdjoint(np.array([0]), np.array([1.0]), (3,)) + SparseAdjoint(np.array([0]), np.array([1.0]), (4,))
    with pytest.raises(ValueError, match="to an array"):
        SparseAdjoint(np.array([0]), np.array([1.0]), (3,)) + np.zeros((3, 1))

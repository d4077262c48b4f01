"""What modules compute, against NumPy and SciPy; their derivatives are checked in test_modules.py."""

import numpy as np
import pytest
import scipy.sparse
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, mutually_broadcastable_shapes

from autodiff import DomainError, Module, check_gradients, unbroadcast
from autodiff import modules as m

RNG = np.random.default_rng(20)
X, Y = RNG.normal(size=(3, 4)), RNG.uniform(0.5, 2.0, size=(3, 4))


@pytest.mark.parametrize(
    ("module", "inputs", "expected"),
    [
        (m.Add(), (X, Y), X + Y),
        (m.Subtract(), (X, Y), X - Y),
        (m.Multiply(), (X, Y), X * Y),
        (m.Divide(), (X, Y), X / Y),
        (m.Power(), (Y, X), Y**X),
        (m.Negate(), (X,), -X),
        (m.Exp(), (X,), np.exp(X)),
        (m.Log(), (Y,), np.log(Y)),
        (m.Sigmoid(), (50 * X,), scipy.special.expit(50 * X)),
        (m.Tanh(), (X,), np.tanh(X)),
        (m.Relu(), (X,), np.maximum(X, 0)),
        (m.Sum(axis=1, keepdims=True), (X,), X.sum(axis=1, keepdims=True)),
        (m.Mean(axis=0), (X,), X.mean(axis=0)),
        (m.Max(axis=-1), (X,), X.max(axis=-1)),
        (m.LogSumExp(axis=0), (900 * X,), scipy.special.logsumexp(900 * X, axis=0)),
        (m.LogSumExp(), (X,), scipy.special.logsumexp(X)),
        (m.Softmax(axis=(0, 1)), (X,), scipy.special.softmax(X)),
        (m.LogSoftmax(), (900 * X,), scipy.special.log_softmax(900 * X, axis=-1)),
        (m.MatMul(), (X, Y.T), X @ Y.T),
        (m.Einsum("ij,kj->ki"), (X, Y), Y @ X.T),
        (m.Linear(), (X, Y.T, np.ones(3)), X @ Y.T + 1),
        (m.Gather(), (X, [[2, 0], [1, 1]]), X[[[2, 0], [1, 1]]]),
        (m.Reshape((2, -1)), (X,), X.reshape(2, 6)),
        (m.Transpose(), (X,), X.T),
        (m.Concatenate(axis=1), (X, Y), np.hstack([X, Y])),
        (m.Stack(axis=2), (X, Y), np.dstack([X, Y])),
        (m.Select(X > 0), (X,), X[X > 0]),
        (m.SquaredError(), (X, Y), np.mean((X - Y) ** 2)),
        (m.SquaredError("sum"), (X, Y), np.sum((X - Y) ** 2)),
        (m.NegativeLogLikelihood(), (X, [0, 3, 1]), -(X[0, 0] + X[1, 3] + X[2, 1]) / 3),
        (m.NegativeLogLikelihood("sum"), (X, [0, 3, 1]), -(X[0, 0] + X[1, 3] + X[2, 1])),
    ],
    ids=lambda value: repr(value) if isinstance(value, Module) else "",
)
def test_values(module: Module, inputs: tuple[np.ndarray, ...], expected: np.ndarray) -> None:
    np.testing.assert_allclose(module(*inputs), expected, rtol=1e-13, atol=1e-300)
    assert np.shape(module(*inputs)) == np.shape(expected)


def test_split_undoes_concatenate() -> None:
    parts = m.Split((1, 3), axis=1)(X)
    np.testing.assert_array_equal(m.Concatenate(axis=1)(*parts), X)


@pytest.mark.parametrize("with_values", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_sparse_dot_equals_a_sparse_matrix_product(seed: int, with_values: bool) -> None:
    rng = np.random.default_rng(seed)
    # Many rows are empty, at either end and side by side: the places where np.add.reduceat goes wrong.
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 3, size=8) * rng.integers(0, 2, size=8))])
    indices = rng.integers(5, size=offsets[-1])
    weights, values = rng.normal(size=5), rng.normal(size=offsets[-1])
    inputs = (weights, indices, offsets, values) if with_values else (weights, indices, offsets)
    data = values if with_values else np.ones(offsets[-1])
    matrix = scipy.sparse.csr_array((data, indices, offsets), shape=(8, 5)).toarray()
    scores, backward = m.SparseDot().forward(*inputs)
    np.testing.assert_allclose(scores, matrix @ weights, atol=1e-14)
    adjoint = rng.normal(size=8)
    np.testing.assert_allclose(backward(adjoint)[0].dense(), matrix.T @ adjoint, atol=1e-14)


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_scatter_add_equals_a_loop(shape: tuple[int, ...]) -> None:
    values, indices = RNG.normal(size=(7, *shape)), RNG.integers(4, size=7)
    expected = np.zeros((5, *shape))
    for index, value in zip(indices, values, strict=True):
        expected[index] += value
    np.testing.assert_allclose(m.ScatterAdd(5)(values, indices), expected, rtol=1e-15)


BINARY = [m.Add, m.Subtract, m.Multiply, m.Divide, m.Power]


@pytest.mark.parametrize("module_class", BINARY)
@given(data=st.data())
def test_broadcasting(module_class: type[Module], data: st.DataObject) -> None:
    shapes = data.draw(mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)).input_shapes
    floats = st.floats(0.5, 2.0)
    inputs = [data.draw(arrays(np.float64, shape, elements=floats)) for shape in shapes]
    check_gradients(module_class(), *inputs).raise_if_failed()


@given(shapes=mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_dims=4, max_side=4))
def test_unbroadcast_is_the_transpose_of_broadcasting(shapes: object) -> None:
    shape, result = shapes.input_shapes[0], shapes.result_shape  # type: ignore[attr-defined]
    rng = np.random.default_rng(0)
    value, adjoint = rng.normal(size=shape), rng.normal(size=result)
    reduced = unbroadcast(adjoint, shape)
    assert reduced.shape == shape
    np.testing.assert_allclose(np.sum(np.broadcast_to(value, result) * adjoint), np.sum(value * reduced), atol=1e-12)


@pytest.mark.parametrize(
    ("module", "inputs", "message"),
    [
        (m.Log(), ([1.0, -2.0],), "smallest value is -2.0"),
        (m.Power(), ([-1.0], [0.5]), "base -1.0 is negative"),
        (m.Power(), ([0.0], [-1]), "base 0"),
        (m.Divide(), ([1.0], [[1.0, 0.0]]), r"denominator is 0 at position \(0, 1\)"),
        (m.LogSumExp(), ([1.0, np.nan],), r"nan at position \(1,\)"),
        (m.LogSoftmax(), ([[1.0, np.inf]],), r"inf at position \(0, 1\)"),
        (m.Softmax(), ([[1.0, np.inf]],), r"inf at position \(0, 1\)"),
        (m.Gather(), (X, [0, 3]), r"index 3 at position \(1,\) is outside 0 … 2"),
        (m.Gather(), (X, [-1]), "index -1"),
        (m.Gather(), (X, [0.5]), "must be integers"),
        (m.ScatterAdd(2), ([1.0], [2]), "index 2"),
        (m.ScatterAdd(2), ([1.0], [0, 1]), "must begin with the shape"),
        (m.SparseDot(), ([1.0], [0, 0], [0, 1]), "offsets must rise from 0 to the number of features, 2"),
        (m.SparseDot(), ([1.0], [0, 0], [0, 3, 2]), "offsets must rise"),
        (m.SparseDot(), ([1.0], [0, 0], [0, 2], [1.0]), "values"),
        (m.SparseDot(), ([1.0], [7], [0, 1]), "index 7"),
        (m.Linear(), (X, X), "must be"),
        (m.Linear(), (X, X.T, np.ones(4)), "bias"),
        (m.Einsum("ij,jk"), (X, X), "axis 'j' has sizes 4 and 3"),
        (m.Einsum("ij"), (np.ones(3),), "do not have the axes"),
        (m.NegativeLogLikelihood(), (X, [0, 4, 0]), "index 4"),
        (m.NegativeLogLikelihood(), (X, [0, 0]), "labels have shape"),
        (m.NegativeLogLikelihood(), ([[0.0, -np.inf]], [1]), r"label 1 at position \(0,\) is impossible"),
        (m.SquaredError("median"), (X, X), "not 'median'"),  # type: ignore[arg-type]
        (m.SquaredError(), (np.ones(0), np.ones(0)), "nothing to average"),
        (m.Mean(), (np.ones(0),), "no values"),
        (m.Split((1, 1)), (X,), "cannot be cut"),
    ],
)
def test_errors_say_what_and_where(module: Module, inputs: tuple[np.ndarray, ...], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        module.forward(*inputs)


def test_errors_of_constructors() -> None:
    with pytest.raises(DomainError, match="use Gather"):
        m.Select([0, 1])
    with pytest.raises(DomainError, match="letters"):
        m.Einsum("...i,i")


def test_squared_error_does_not_broadcast() -> None:
    with pytest.raises(DomainError, match=r"\(3, 1\).*\(3,\)"):
        m.SquaredError().forward(np.zeros((3, 1)), np.zeros(3))

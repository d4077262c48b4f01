"""A circuit is a module: circuits nest, and parameters are shared across them."""

import numpy as np
import pytest

from autodiff import Circuit, CircuitError, Parameter, check_gradients
from autodiff import modules as m

RNG = np.random.default_rng(12)
X = RNG.normal(size=(4, 3))


def layer(weights: np.ndarray | Parameter) -> Circuit:
    circuit = Circuit("layer")
    x = circuit.input("x")
    matrix = circuit.parameter(weights) if isinstance(weights, Parameter) else circuit.parameter("weights", weights)
    linear = circuit.add(m.Linear(), x, matrix)
    circuit.output(circuit.add(m.Tanh(), linear), linear)
    return circuit


def test_nested_parameters_have_names_values_and_gradients() -> None:
    first, second = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 2))
    outer = Circuit("outer")
    x, scale = outer.input("x"), outer.parameter("scale", 2.0)
    hidden, _ = outer.add(layer(first), x, name="first")
    top, raw = outer.add(layer(second), hidden, name="second")
    outer.output(outer.add(m.Multiply(), scale, top), raw)
    np.testing.assert_allclose(outer(X)[0], 2 * np.tanh(np.tanh(X @ first) @ second))
    assert list(outer.parameters()) == ["scale", "first.weights", "second.weights"]
    check_gradients(outer, X).raise_if_failed()
    adjoints = outer.forward(X)[1](np.ones((4, 2)), None)
    assert list(adjoints.gradients) == list(outer.parameters())


def test_three_levels() -> None:
    middle = Circuit("middle")
    x = middle.input("x")
    output, _ = middle.add(layer(RNG.normal(size=(3, 3))), x, name="inner")
    middle.output(output)
    outer = Circuit("outer")
    x = outer.input("x")
    outer.output(outer.add(m.Add(), outer.add(middle, x, name="middle"), x))
    assert list(outer.parameters()) == ["middle.inner.weights"]
    check_gradients(outer, X).raise_if_failed()


def test_adjoints_of_a_parameter_shared_by_nested_circuits_add() -> None:
    shared = Parameter("shared", RNG.normal(size=(3, 3)))
    outer = Circuit()
    x = outer.input("x")
    hidden, _ = outer.add(layer(shared), x)
    top, _ = outer.add(layer(shared), hidden)
    outer.output(outer.add(m.MatMul(), top, outer.parameter(shared)))
    assert list(outer.parameters()) == ["shared"]
    check_gradients(outer, X).raise_if_failed()


def test_nested_circuit_of_constants_still_learns() -> None:
    outer = Circuit()
    top, _ = outer.add(layer(RNG.normal(size=(3, 3))), outer.constant(X), name="layer")
    outer.output(outer.add(m.Sum(), top))
    assert np.any(outer.forward()[1](1.0).gradients["layer.weights"])


def test_gradients_are_not_accumulated() -> None:
    outer = Circuit()
    top, _ = outer.add(layer(RNG.normal(size=(3, 3))), outer.input("x"), name="layer")
    outer.output(top)
    _, backward = outer.forward(X)
    results = [backward(np.ones((4, 3))).gradients["layer.weights"] for _ in range(2)]
    assert np.array_equal(*results)


def test_what_cannot_be_nested() -> None:
    inner, outer = layer(RNG.normal(size=(3, 3))), Circuit("outer")
    x = outer.input("x")
    with pytest.raises(CircuitError, match=r"has 1 inputs, not 2"):
        outer.add(inner, x, x)
    with pytest.raises(CircuitError, match="no output"):
        outer.add(Circuit("empty"), x)
    outer.add(inner, x)
    with pytest.raises(CircuitError, match="can no longer change"):
        inner.input("late")
    outer.output(x)
    with pytest.raises(CircuitError, match=r"node 'Circuit_2' would be the circuit itself"):
        outer.add(outer, x)


def test_one_circuit_in_two_places_shares_its_parameters() -> None:
    inner, outer, apart = layer(RNG.normal(size=(3, 3))), Circuit("outer"), Circuit("apart")
    hidden, _ = outer.add(inner, outer.input("x"), name="first")
    top, _ = outer.add(inner, hidden, name="second")
    outer.output(top)
    assert list(outer.parameters()) == ["first.weights"]
    check_gradients(outer, X).raise_if_failed()
    weights = apart.parameter(inner.named_parameters()["weights"])
    hidden = apart.input("x")
    for _ in range(2):
        hidden = apart.add(m.Tanh(), apart.add(m.Linear(), hidden, weights))
    apart.output(hidden)
    found, expected = (circuit.forward(X)[1](np.ones((4, 3))) for circuit in (outer, apart))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    np.testing.assert_allclose(found.gradients["first.weights"], expected.gradients["weights"], rtol=1e-13)


def test_module_shared_with_a_nested_circuit() -> None:
    tanh, inner, outer = m.Tanh(), Circuit("inner"), Circuit("outer")
    inner.output(inner.add(tanh, inner.input("x"), name="theirs"))
    x = outer.input("x")
    outer.output(outer.add(inner, outer.add(tanh, x, name="ours")))
    check_gradients(outer, X).raise_if_failed()


def test_a_nested_circuit_serves_two_outer_ones() -> None:
    inner = layer(RNG.normal(size=(3, 3)))
    passes = []
    for scale in (1.0, 2.0):
        outer = Circuit()
        outer.output(outer.add(inner, outer.input("x"), name="inner")[0])
        passes.append((scale, outer.forward(scale * X)[1]))
    for scale, backward in passes:
        expected = inner.forward(scale * X)[1](np.ones((4, 3)), None)
        found = backward(np.ones((4, 3)))
        assert np.array_equal(found[0], expected[0])
        assert np.array_equal(found.gradients["inner.weights"], expected.gradients["weights"])

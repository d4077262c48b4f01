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
    np.testing.assert_allclose(outer.forward(X)[0], 2 * np.tanh(np.tanh(X @ first) @ second))
    assert list(outer.parameters()) == ["scale", "first.weights", "second.weights"]
    check_gradients(outer, X).raise_if_failed()
    outer.forward(X)
    outer.backward(np.ones((4, 2)), None)
    assert list(outer.gradients()) == list(outer.parameters())


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
    outer.forward()
    outer.backward(1.0)
    assert np.any(outer.gradients()["layer.weights"])


def test_gradients_are_replaced_not_accumulated() -> None:
    outer = Circuit()
    top, _ = outer.add(layer(RNG.normal(size=(3, 3))), outer.input("x"), name="layer")
    outer.output(top)
    results = []
    for _ in range(2):
        outer.forward(X)
        outer.backward(np.ones((4, 3)))
        results.append(outer.gradients()["layer.weights"])
    assert np.array_equal(*results)


def test_what_cannot_be_nested() -> None:
    inner, outer = layer(RNG.normal(size=(3, 3))), Circuit("outer")
    x = outer.input("x")
    with pytest.raises(CircuitError, match=r"has 1 inputs, not 2"):
        outer.add(inner, x, x)
    with pytest.raises(CircuitError, match="no output"):
        outer.add(Circuit("empty"), x)
    outer.add(inner, x)
    with pytest.raises(CircuitError, match="same instance of Circuit"):
        outer.add(inner, x)
    with pytest.raises(CircuitError, match="can no longer change"):
        inner.input("late")
    with pytest.raises(CircuitError, match="same instance"):
        outer.add(outer, x)


def test_module_shared_with_a_nested_circuit_is_refused() -> None:
    tanh, inner, outer = m.Tanh(), Circuit("inner"), Circuit("outer")
    inner.output(inner.add(tanh, inner.input("x"), name="theirs"))
    x = outer.input("x")
    outer.add(tanh, x, name="ours")
    with pytest.raises(
        CircuitError, match=r"'theirs' in node 'Circuit_2' would be the same instance of Tanh as node 'ours'"
    ):
        outer.add(inner, x)

"""Errors of circuits name the node, what was seen and what to do."""

from typing import Any

import numpy as np
import pytest

from autodiff import Circuit, CircuitError, DomainError, Module, ModuleError, Parameter
from autodiff import modules as m


class Returning(Module):
    """Returns what it is told to."""

    def __init__(self, output: Any, adjoints: Any) -> None:
        self.output = output
        self.adjoints = adjoints

    def forward(self, *inputs: Any) -> Any:
        return self.output, lambda *adjoints: self.adjoints


def simple(module: Module) -> Circuit:
    circuit = Circuit("simple")
    circuit.output(circuit.add(module, circuit.input("x"), name="node"))
    return circuit


def test_wire_of_another_circuit() -> None:
    here, there = Circuit("here"), Circuit("there")
    wire = there.input("x")
    with pytest.raises(CircuitError, match=r"'here'.*input 0 of node 'Exp_1'.*wire 'x' of another circuit.*'there'"):
        here.add(m.Exp(), wire)
    with pytest.raises(CircuitError, match="output 0 is wire 'x' of another"):
        here.output(wire)


def test_what_is_no_wire_or_no_module() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    with pytest.raises(CircuitError, match=r"input 1 of node 'Add_1'.*ndarray, not a wire; wrap it with constant"):
        circuit.add(m.Add(), x, np.ones(2))  # type: ignore[arg-type]
    with pytest.raises(CircuitError, match="not a Module"):
        circuit.add(m.Add, x, x)  # type: ignore[arg-type]


def test_names_are_taken_once() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    for declare in (circuit.input, lambda name: circuit.constant(1.0, name), lambda name: circuit.parameter(name, 1.0)):
        with pytest.raises(CircuitError, match="'x' is already taken"):
            declare("x")
    with pytest.raises(CircuitError, match="'x' is already taken"):
        circuit.add(m.Exp(), x, name="x")
    circuit.add(m.Split((1, 1)), x, name="split")
    with pytest.raises(CircuitError, match="'split' is already taken"):
        circuit.input("split")


def test_parameter_values() -> None:
    circuit = Circuit()
    with pytest.raises(CircuitError, match="has no value"):
        circuit.parameter("weights")
    with pytest.raises(CircuitError, match="already has a value"):
        circuit.parameter(Parameter("weights", 1.0), 2.0)


def test_number_of_inputs_and_adjoints() -> None:
    circuit = simple(m.Exp())
    with pytest.raises(CircuitError, match=r"forward takes 1 inputs \(x\), not 2"):
        circuit.forward(1.0, 2.0)
    _, backward = circuit.forward(1.0)
    with pytest.raises(CircuitError, match="backward takes 1 adjoints, not 2"):
        backward(1.0, 2.0)


def test_no_output() -> None:
    circuit = Circuit("unfinished")
    circuit.input("x")
    with pytest.raises(CircuitError, match=r"'unfinished'\) has no output; declare one"):
        circuit.forward(1.0)


class Old(Module):
    """Returns what it is told to, and nothing else."""

    def __init__(self, output: Any) -> None:
        self.output = output

    def forward(self, x: Any) -> Any:
        return self.output


@pytest.mark.parametrize(
    ("returned", "seen"),
    [
        (np.ones(2), "a ndarray"),
        ((1.0, 2.0), "a tuple of 2"),
        ((1.0, np.ones(2), np.sum), "a tuple of 3"),
        (None, "a NoneType"),
    ],
)
def test_forward_that_returns_no_pair(returned: Any, seen: str) -> None:
    message = rf"forward of Old\(\) returned {seen}; it must return a pair \(output, backward\)"
    with pytest.raises(ModuleError, match=message) as caught:
        simple(Old(returned)).forward(1.0)
    assert "in the forward pass of node 'node' (Old()) of Circuit('simple')" in caught.value.__notes__
    with pytest.raises(ModuleError, match=message):
        Old(returned)(1.0)


def test_exception_in_forward_is_noted() -> None:
    with pytest.raises(DomainError) as caught:
        simple(m.Log()).forward(-1.0)
    assert "in the forward pass of node 'node' (Log()) of Circuit('simple')" in caught.value.__notes__


def test_exception_in_backward_is_noted() -> None:
    class Failing(m.Exp):
        def forward(self, x: Any) -> Any:
            def backward(adjoint: Any) -> Any:
                raise ZeroDivisionError

            return x, backward

    _, backward = simple(Failing()).forward(1.0)
    with pytest.raises(ZeroDivisionError) as caught:
        backward(1.0)
    assert "in the backward pass of node 'node' (Failing()) of Circuit('simple')" in caught.value.__notes__


@pytest.mark.parametrize(
    ("adjoints", "message"),
    [
        ((1.0, 1.0), r"node 'node' .* returned a tuple of 2; it must return a tuple of 1"),
        ((), "a tuple of 0"),
        (np.ones(1), "returned a ndarray"),
        ((np.ones(3),), r"adjoint of input 0 from node 'node' .*has shape \(3,\); it must have the shape \(2,\)"),
    ],
)
def test_wrong_adjoints_of_a_module(adjoints: Any, message: str) -> None:
    _, backward = simple(Returning(1.0, adjoints)).forward(np.ones(2))
    with pytest.raises(CircuitError, match=message):
        backward(1.0)


def test_wrong_shape_of_an_output_adjoint() -> None:
    _, backward = simple(m.Exp()).forward(np.ones(2))
    with pytest.raises(CircuitError, match=r"adjoint of output 'node' has shape \(\); it must have the shape \(2,\)"):
        backward(1.0)


def test_wrong_number_of_outputs() -> None:
    with pytest.raises(CircuitError, match=r"node 'node' .* returned 2 outputs, but its output_count is 1"):
        simple(Returning((1.0, 2.0), ())).forward(1.0)

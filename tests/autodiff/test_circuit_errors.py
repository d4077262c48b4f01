"""Errors of circuits name the node, what was seen and what to do."""

from typing import Any

import numpy as np
import pytest

from autodiff import BackwardBeforeForwardError, Circuit, CircuitError, DomainError, Module, Parameter
from autodiff import modules as m


class Returning(Module):
    """Returns what it is told to."""

    def __init__(self, output: Any, adjoints: Any) -> None:
        self.output = output
        self.adjoints = adjoints

    def forward(self, *inputs: Any) -> Any:
        return self.output

    def backward(self, *adjoints: Any) -> Any:
        return self.adjoints


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
    here.output(here.input("y"))
    here.forward(1.0)
    with pytest.raises(CircuitError, match="value is wire 'x' of another"):
        here.value(wire)


def test_what_is_no_wire_or_no_module() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    with pytest.raises(CircuitError, match=r"input 1 of node 'Add_1'.*ndarray, not a wire; wrap it with constant"):
        circuit.add(m.Add(), x, np.ones(2))  # type: ignore[arg-type]
    with pytest.raises(CircuitError, match="not a Module"):
        circuit.add(m.Add, x, x)  # type: ignore[arg-type]


def test_same_instance_twice() -> None:
    circuit, tanh = Circuit(), m.Tanh()
    x = circuit.input("x")
    circuit.add(tanh, x, name="first")
    with pytest.raises(CircuitError, match=r"node 'second' would be the same instance of Tanh as node 'first'"):
        circuit.add(tanh, x, name="second")


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
    circuit.forward(1.0)
    with pytest.raises(CircuitError, match="backward takes 1 adjoints, not 2"):
        circuit.backward(1.0, 2.0)


def test_no_output() -> None:
    circuit = Circuit("unfinished")
    circuit.input("x")
    with pytest.raises(CircuitError, match=r"'unfinished'\) has no output; declare one"):
        circuit.forward(1.0)


def test_backward_before_forward() -> None:
    circuit = simple(m.Exp())
    with pytest.raises(BackwardBeforeForwardError):
        circuit.backward(1.0)
    with pytest.raises(BackwardBeforeForwardError):
        m.Exp().backward(1.0)
    circuit.forward(1.0)
    circuit.constant(1.0)
    with pytest.raises(BackwardBeforeForwardError):
        circuit.backward(1.0)


def test_failed_forward_does_not_leave_the_previous_one_behind() -> None:
    circuit = simple(m.Log())
    circuit.forward(1.0)
    with pytest.raises(DomainError) as caught:
        circuit.forward(-1.0)
    assert "in the forward pass of node 'node' (Log()) of Circuit('simple')" in caught.value.__notes__
    with pytest.raises(BackwardBeforeForwardError):
        circuit.backward(1.0)


def test_exception_in_backward_is_noted() -> None:
    class Failing(m.Exp):
        def backward(self, adjoint: Any) -> Any:
            raise ZeroDivisionError

    circuit = simple(Failing())
    circuit.forward(1.0)
    with pytest.raises(ZeroDivisionError) as caught:
        circuit.backward(1.0)
    assert "in the backward pass of node 'node' (Failing()) of Circuit('simple')" in caught.value.__notes__


def test_gradients_before_backward() -> None:
    circuit = Circuit()
    circuit.output(circuit.parameter("weights", 1.0))
    circuit.forward()
    with pytest.raises(CircuitError, match="'weights' has no gradient yet; run forward and backward first"):
        circuit.gradients()


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
    circuit = simple(Returning(1.0, adjoints))
    circuit.forward(np.ones(2))
    with pytest.raises(CircuitError, match=message):
        circuit.backward(1.0)


def test_wrong_shape_of_an_output_adjoint() -> None:
    circuit = simple(m.Exp())
    circuit.forward(np.ones(2))
    with pytest.raises(CircuitError, match=r"adjoint of output 'node' has shape \(\); it must have the shape \(2,\)"):
        circuit.backward(1.0)


def test_wrong_number_of_outputs() -> None:
    with pytest.raises(CircuitError, match=r"node 'node' .* returned 2 outputs, but its output_count is 1"):
        simple(Returning((1.0, 2.0), ())).forward(1.0)


def test_module_run_elsewhere_between_the_passes() -> None:
    exp = m.Exp()
    first, second = simple(exp), simple(exp)
    first.forward(1.0)
    second.forward(2.0)
    with pytest.raises(CircuitError, match=r"node 'node' .* was run elsewhere since this circuit's forward pass"):
        first.backward(1.0)
    first.forward(1.0)
    assert float(first.backward(1.0)[0]) == pytest.approx(np.e)


def test_value_of_a_wire_that_was_not_computed() -> None:
    circuit = Circuit()
    x = circuit.input("x")
    dead, live = circuit.add(m.Exp(), x, name="dead"), circuit.add(m.Negate(), x)
    circuit.output(live)
    circuit.forward(1.0)
    assert float(circuit.value(live)) == -1.0
    with pytest.raises(CircuitError, match="'dead' was not computed, because no output depends on it"):
        circuit.value(dead)

"""A module under a gradient check, as a function of float arrays: its inputs and parameters."""

from typing import Any

import numpy as np

from autodiff.adjoints import Adjoints
from autodiff.arrays import Array
from autodiff.circuit import Circuit
from autodiff.errors import GradientCheckError, ModuleError
from autodiff.gradient_report import subscript
from autodiff.module import Module, check_pass
from autodiff.parameter import Parameter
from autodiff.wiring import dense

__all__ = ["Pass", "Subject", "same_bits"]


class Subject:
    """Runs a module at chosen values, and watches that it changes nothing that it was given or has returned.

    The arguments to differentiate by are the float inputs, then the parameters if the module is a circuit.
    """

    def __init__(self, module: Module, inputs: tuple[Any, ...]) -> None:
        self.module = module
        self.inputs = inputs
        self.problems: list[str] = []
        self.positions = [position for position, value in enumerate(inputs) if _is_float(value)]
        named = module.named_parameters() if isinstance(module, Circuit) else {}
        self.parameters: list[Parameter] = list(named.values())
        self.names = [f"input {position}" for position in self.positions]
        self.names += [f"parameter {name!r}" for name in named]
        self.start: list[Array] = [np.array(inputs[position], dtype=np.float64) for position in self.positions]
        self.start += [np.array(parameter.value) for parameter in self.parameters]
        self._originals = [parameter.value for parameter in self.parameters]
        self._history: list[tuple[str, list[Any], list[Any]]] = []

    def run(self, arguments: list[Array]) -> "Pass":
        """Run the module forward."""
        return Pass(self, self._place(arguments))

    def forward(self, arguments: list[Array]) -> list[Array]:
        """Run the module and return those of its outputs that are floats, as arrays."""
        return self.run(arguments).outputs

    def complain(self, problem: str) -> None:
        """Note a problem once."""
        if problem not in self.problems:
            self.problems.append(problem)

    def restore(self) -> None:
        """Give parameters the arrays back that they had before the check."""
        for parameter, value in zip(self.parameters, self._originals, strict=True):
            parameter.value = value

    def remember(self, what: str, values: list[Any]) -> None:
        """Keep what a pass returned for the `review`."""
        # Two of each are enough to catch a buffer that is written again.
        if sum(known == what for known, _, _ in self._history) < 2:
            self._history.append((what, values, _snapshot(values)))

    def review(self) -> None:
        """Look once more at what the first passes returned: a later pass must not have changed it."""
        for what, values, before in self._history:
            if not _unchanged(values, before):
                self.complain(f"a later pass overwrites {what} that an earlier pass returned")

    def _place(self, arguments: list[Array]) -> list[Any]:
        given = [np.array(value) if isinstance(value, np.ndarray) else value for value in self.inputs]
        for position, argument in zip(self.positions, arguments, strict=False):
            # The kind of scalar is kept: a module must not rely on getting an array.
            given[position] = float(argument) if isinstance(self.inputs[position], float) else argument.copy()
        for parameter, argument in zip(self.parameters, arguments[len(self.positions) :], strict=True):
            parameter.value = argument.copy()
        return given


class Pass:
    """One forward pass of a subject, and backward passes from it.

    Attributes
    ----------
    outputs : those that are floats, as arrays
    output_names : of each of them
    """

    def __init__(self, subject: Subject, given: list[Any]) -> None:
        self._subject = subject
        self._given, self._given_before = given, _snapshot(given)
        try:
            returned, self._backward = check_pass(subject.module.forward(*given), subject.module)
        except ModuleError as error:
            raise GradientCheckError(str(error)) from None
        self._outputs = list(returned) if isinstance(returned, tuple) else [returned]
        self._outputs_before = _snapshot(self._outputs)
        self._watch("forward")
        subject.remember("an output", self._outputs)
        self._differentiable = [k for k, output in enumerate(self._outputs) if _is_float(output)]
        self.output_names = [f"output {k}" for k in self._differentiable]
        self.outputs = [np.array(self._outputs[k], dtype=np.float64) for k in self._differentiable]
        for name, output in zip(self.output_names, self.outputs, strict=True):
            if not np.all(output < np.inf):
                index = tuple(int(i) for i in np.argwhere(~(output < np.inf))[0])
                subject.complain(f"{name}{subscript(index)} is {output[index]}; it must be finite or -inf")

    def backward(self, adjoints: list[Array | None]) -> list[Array]:
        """Return the adjoint of each argument as an array, given those of the float outputs."""
        given: list[Array | None] = [None] * len(self._outputs)
        for k, adjoint in zip(self._differentiable, adjoints, strict=True):
            given[k] = None if adjoint is None else adjoint.copy()
        before = _snapshot(given)
        try:
            returned = self._backward(*given)
        except Exception as error:
            zeros = [f"output {k}" for k, adjoint in enumerate(given) if adjoint is None]
            error.add_note(f"in the backward pass of a gradient check, with None for {', '.join(zeros) or 'no output'}")
            raise
        if not _unchanged(given, before):
            self._subject.complain("backward changes, in place, an adjoint that it was given")
        self._watch("backward")
        return self._read(returned)

    def _watch(self, step: str) -> None:
        if not _unchanged(self._given, self._given_before):
            self._subject.complain(f"{step} changes an input in place")
        if not _unchanged(self._outputs, self._outputs_before):
            self._subject.complain(f"{step} changes, in place, an output that it returned")

    def _read(self, returned: Any) -> list[Array]:
        subject = self._subject
        if not isinstance(returned, tuple) or len(returned) != len(subject.inputs):
            seen = f"{len(returned)} adjoints" if isinstance(returned, tuple) else f"a {type(returned).__name__}"
            raise GradientCheckError(
                f"backward returned {seen}; it must return a tuple of {len(subject.inputs)}, one adjoint for each input"
            )
        found = list(returned)
        if subject.parameters and isinstance(returned, Adjoints):
            found += returned.gradients.values()
        subject.remember("an adjoint", found)
        chosen = [found[position] for position in subject.positions] + found[len(returned) :]
        adjoints = []
        for name, value, adjoint in zip(subject.names, subject.start, chosen, strict=True):
            array = np.zeros(value.shape) if adjoint is None else dense(adjoint)
            if array.shape != value.shape:
                raise GradientCheckError(
                    f"the adjoint of {name} has shape {array.shape}, but its value has shape {value.shape}"
                )
            # A copy, so that a module which reuses an array that it returned is found out.
            adjoints.append(np.array(array))
        return adjoints


def same_bits(left: list[Array], right: list[Array]) -> bool:
    """Return whether two lists of arrays are equal to the last bit (NaN equals NaN)."""
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(left, right, strict=True))


def _is_float(value: Any) -> bool:
    if isinstance(value, np.ndarray | float | np.floating | list):
        return bool(np.issubdtype(np.asarray(value).dtype, np.floating))
    return False


def _snapshot(values: list[Any]) -> list[Any]:
    return [np.array(value) if isinstance(value, np.ndarray) else None for value in values]


def _unchanged(values: list[Any], before: list[Any]) -> bool:
    return all(
        earlier is None or np.array_equal(value, earlier, equal_nan=bool(np.issubdtype(earlier.dtype, np.inexact)))
        for value, earlier in zip(values, before, strict=True)
    )

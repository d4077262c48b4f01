"""What a circuit is made of: wires, and the nodes that they join."""

from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from autodiff.arrays import Adjoint, Array, as_floats
from autodiff.errors import CircuitError
from autodiff.module import Backward, Module, check_pass
from autodiff.parameter import Parameter
from autodiff.sparse import SparseAdjoint

if TYPE_CHECKING:
    from autodiff.circuit import Circuit
    from autodiff.plan import CircuitPlan

__all__ = ["Node", "Wire", "check_shape", "dense"]


@frozen(eq=False)
class Wire:
    """A value in a circuit: an input, a parameter, a constant, or an output of a module."""

    circuit: "Circuit" = field(repr=False)
    slot: int = field(repr=False)
    name: str


@frozen(eq=False)
class Node:
    """A module in its place: the slots of the values that it reads and writes.

    Attributes
    ----------
    plan : that of the module, if it is a circuit: it is no longer extended; else None
    """

    circuit: str
    name: str
    module: Module
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    plan: "CircuitPlan | None" = None

    def __str__(self) -> str:
        return f"node {self.name!r} ({self.module!r}) of {self.circuit}"

    def forward(self, values: list[Any]) -> Backward:
        """Run the module on its part of `values` and write its outputs there; return its way back."""
        inputs = [values[slot] for slot in self.inputs]
        try:
            if self.plan is None:
                output, backward = check_pass(self.module.forward(*inputs), self.module)
            else:
                trace = self.plan.run(inputs)
                output, backward = trace.output, trace.propagate
        except Exception as error:
            error.add_note(f"in the forward pass of {self}")
            raise
        outputs = output if isinstance(output, tuple) else (output,)
        if len(outputs) != len(self.outputs):
            raise CircuitError(f"{self} returned {len(outputs)} outputs, but its output_count is {len(self.outputs)}")
        for slot, value in zip(self.outputs, outputs, strict=True):
            values[slot] = value
        return backward

    def backward(
        self, backward: Backward, adjoints: list[Any], values: list[Any], gradients: dict[Parameter, Adjoint]
    ) -> list[tuple[int, Adjoint]]:
        """Return the adjoints that the module passes back, with their slots, given those of its outputs.

        A nested circuit adds those of its parameters to `gradients`.
        """
        received = [None if adjoint is None else dense(adjoint) for adjoint in adjoints]
        try:
            returned = backward(*received) if self.plan is None else backward(received, gradients)
        except Exception as error:
            error.add_note(f"in the backward pass of {self}")
            raise
        if not isinstance(returned, tuple) or len(returned) != len(self.inputs):
            seen = f"a tuple of {len(returned)}" if isinstance(returned, tuple) else f"a {type(returned).__name__}"
            raise CircuitError(
                f"backward of {self} returned {seen}; "
                f"it must return a tuple of {len(self.inputs)}, one adjoint for each input"
            )
        passed = []
        for position, (slot, adjoint) in enumerate(zip(self.inputs, returned, strict=True)):
            if adjoint is not None:
                array = adjoint if isinstance(adjoint, SparseAdjoint) else as_floats(adjoint)
                check_shape(array, values[slot], f"the adjoint of input {position} from {self}")
                passed.append((slot, array))
        return passed


def dense(adjoint: Any) -> Array:
    """Return an adjoint as an array."""
    return adjoint.dense() if isinstance(adjoint, SparseAdjoint) else as_floats(adjoint)


def check_shape(adjoint: Adjoint, value: Any, what: str) -> None:
    """Raise unless an adjoint has the shape of the value it belongs to."""
    if adjoint.shape != np.shape(value):
        raise CircuitError(f"{what} has shape {adjoint.shape}; it must have the shape {np.shape(value)} of the value")

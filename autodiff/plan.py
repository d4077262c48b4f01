"""A circuit as it is run: the order of its nodes, and where its values stand."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from autodiff.errors import CircuitError
from autodiff.parameter import Parameter
from autodiff.trace import Trace
from autodiff.wiring import Node

__all__ = ["CircuitPlan"]


@frozen(eq=False)
class CircuitPlan:
    """What follows from the wiring alone, and is worked out once.  A circuit that is extended gets another one.

    Attributes
    ----------
    circuit : for messages
    names : of each slot
    inputs, outputs : their slots
    constants, parameters : by their slots
    named : every parameter, those of nested circuits included, by name
    order : the nodes from which an output can be reached, in topological order
    active : the slots of values that depend on inputs or parameters, and so have adjoints
    """

    circuit: str
    names: tuple[str, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    constants: dict[int, Any]
    parameters: dict[int, Parameter]
    named: dict[str, Parameter]
    order: tuple[Node, ...]
    active: frozenset[int]

    def run(self, inputs: Sequence[Any]) -> Trace:
        """Run the nodes forward."""
        if len(inputs) != len(self.inputs):
            names = ", ".join(self.names[slot] for slot in self.inputs)
            raise CircuitError(f"{self.circuit}: forward takes {len(self.inputs)} inputs ({names}), not {len(inputs)}")
        values: list[Any] = [None] * len(self.names)
        for slot, value in self.constants.items():
            values[slot] = value
        for slot, parameter in self.parameters.items():
            values[slot] = parameter.read()
        for slot, value in zip(self.inputs, inputs, strict=True):
            values[slot] = value
        return Trace(self, values, [node.forward(values) for node in self.order])


def needed_nodes(nodes: Sequence[Node], outputs: Sequence[int]) -> tuple[Node, ...]:
    """Return the nodes from which an output can be reached, in the same (topological) order."""
    wanted = set(outputs)
    needed = []
    for node in reversed(nodes):
        if wanted.intersection(node.outputs):
            wanted.update(node.inputs)
            needed.append(node)
    return tuple(reversed(needed))


def active_slots(nodes: Sequence[Node], leaves: set[int]) -> frozenset[int]:
    """Return the slots whose values depend on the `leaves` or on parameters; `nodes` are in topological order."""
    active = set(leaves)
    for node in nodes:
        # A circuit with parameters depends on more than its inputs.
        if active.intersection(node.inputs) or (node.plan is not None and node.plan.named):
            active.update(node.outputs)
    return frozenset(active)

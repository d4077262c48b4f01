"""The order in which a circuit's nodes run, forward and backward."""

from typing import Any

from attrs import frozen

from autodiff.arrays import Adjoint
from autodiff.errors import CircuitError
from autodiff.wiring import Node

__all__ = ["Plan"]


@frozen(eq=False)
class Plan:
    """What follows from the wiring alone, and is worked out once.

    Attributes
    ----------
    order : the nodes from which an output can be reached, in topological order
    skipped : the slots of values that no output depends on, and that are not computed
    active : the slots of values that depend on inputs or parameters, and so have adjoints
    """

    order: tuple[Node, ...]
    active: frozenset[int]
    skipped: frozenset[int]

    @classmethod
    def of(cls, nodes: list[Node], leaves: set[int], outputs: list[int]) -> "Plan":
        """Plan for the nodes, in topological order, with these differentiable leaves and these outputs."""
        order = _needed_nodes(nodes, outputs)
        computed = {slot for node in order for slot in node.outputs}
        skipped = frozenset(slot for node in nodes for slot in node.outputs if slot not in computed)
        return cls(tuple(order), frozenset(_active_slots(order, leaves)), skipped)

    def forward(self, values: list[Any]) -> list[Any]:
        """Fill in the values of the nodes; return what tells their passes from later ones."""
        for node in self.order:
            node.forward(values)
        return [node.module._tape for node in self.order]

    def backward(self, values: list[Any], tapes: list[Any], adjoints: dict[int, Adjoint]) -> None:
        """Add the adjoints of everything that the outputs depend on to those of the outputs, by slot."""
        for node, tape in zip(reversed(self.order), reversed(tapes), strict=True):
            received = [adjoints.get(slot) for slot in node.outputs]
            if self.active.isdisjoint(node.outputs) or all(adjoint is None for adjoint in received):
                continue
            if node.module._tape is not tape:
                raise CircuitError(
                    f"{node} was run elsewhere since this circuit's forward pass; "
                    "run forward again, or give each circuit its own instance"
                )
            for slot, adjoint in node.backward(received, values):
                if slot in self.active:
                    adjoints[slot] = adjoints[slot] + adjoint if slot in adjoints else adjoint


def _needed_nodes(nodes: list[Node], outputs: list[int]) -> list[Node]:
    """Return the nodes from which an output can be reached, in the same (topological) order."""
    wanted = set(outputs)
    needed = []
    for node in reversed(nodes):
        if wanted.intersection(node.outputs):
            wanted.update(node.inputs)
            needed.append(node)
    return needed[::-1]


def _active_slots(nodes: list[Node], leaves: set[int]) -> set[int]:
    """Return the slots whose values depend on those in `leaves`; `nodes` are in topological order."""
    active = set(leaves)
    for node in nodes:
        if active.intersection(node.inputs):
            active.update(node.outputs)
    return active

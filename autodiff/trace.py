"""One forward pass of a circuit, and the way back through it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from autodiff.adjoints import Adjoints
from autodiff.arrays import Adjoint
from autodiff.errors import CircuitError
from autodiff.module import Backward
from autodiff.parameter import Parameter
from autodiff.sparse import SparseAdjoint
from autodiff.wiring import check_shape, dense

if TYPE_CHECKING:
    from autodiff.plan import CircuitPlan

__all__ = ["Trace"]


@frozen(eq=False)
class Trace:
    """What a forward pass leaves behind.  Backward passes change nothing of it.

    Attributes
    ----------
    plan : what was run
    values : by slot; None where a value was not needed
    backwards : the way back through each node, in the order of the plan
    """

    plan: "CircuitPlan"
    values: list[Any]
    backwards: list[Backward]

    @property
    def output(self) -> Any:
        """The output, or a tuple of outputs if several are declared."""
        outputs = tuple(self.values[slot] for slot in self.plan.outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def backward(self, *adjoints: Any) -> Adjoints:
        """Return the adjoints of the inputs, None where no output depends on one, and those of the parameters."""
        found: dict[Parameter, Adjoint] = {}
        of_inputs = self.propagate(adjoints, found)
        gradients: dict[str, Adjoint] = {}
        for name, parameter in self.plan.named.items():
            gradient = found.get(parameter)
            if gradient is None:
                gradient = np.zeros_like(parameter.read())
            elif not isinstance(gradient, SparseAdjoint):
                # Modules may return one array for several inputs; a gradient belongs to its parameter alone.
                gradient = np.array(gradient)
            gradients[name] = gradient
        return Adjoints(of_inputs, gradients)

    def propagate(
        self, adjoints_of_outputs: Sequence[Any], gradients: dict[Parameter, Adjoint]
    ) -> tuple[Adjoint | None, ...]:
        """Run the nodes in reverse; return the adjoints of the inputs, and add those of parameters to `gradients`."""
        plan, adjoints = self.plan, self._seed(adjoints_of_outputs)
        for node, backward in zip(reversed(plan.order), reversed(self.backwards), strict=True):
            received = [adjoints.get(slot) for slot in node.outputs]
            if plan.active.isdisjoint(node.outputs) or all(adjoint is None for adjoint in received):
                continue
            for slot, adjoint in node.backward(backward, received, self.values, gradients):
                if slot in plan.active:
                    adjoints[slot] = adjoints[slot] + adjoint if slot in adjoints else adjoint
        for slot, parameter in plan.parameters.items():
            if slot in adjoints:
                earlier = gradients.get(parameter)
                gradients[parameter] = adjoints[slot] if earlier is None else earlier + adjoints[slot]
        return tuple(adjoints.get(slot) for slot in plan.inputs)

    def _seed(self, given: Sequence[Any]) -> dict[int, Adjoint]:
        plan = self.plan
        if len(given) != len(plan.outputs):
            raise CircuitError(f"{plan.circuit}: backward takes {len(plan.outputs)} adjoints, not {len(given)}")
        adjoints: dict[int, Adjoint] = {}
        for slot, adjoint in zip(plan.outputs, given, strict=True):
            if adjoint is not None:
                array = dense(adjoint)
                check_shape(array, self.values[slot], f"{plan.circuit}: the adjoint of output {plan.names[slot]!r}")
                adjoints[slot] = adjoints[slot] + array if slot in adjoints else array
        return adjoints

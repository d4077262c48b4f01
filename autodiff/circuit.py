"""Modules wired into a directed acyclic graph, which is itself a module."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Adjoint, Array
from autodiff.errors import CircuitError
from autodiff.module import Module
from autodiff.parameter import Parameter
from autodiff.plan import Plan
from autodiff.sparse import SparseAdjoint
from autodiff.wiring import Node, Wire, check_shape, dense

__all__ = ["Circuit", "Wire"]

# A nested circuit takes three frames of Python's stack, of which there are 1000 unless its user asks for more.
DEEPEST = 200


class Circuit(Module):
    """A differentiable program: modules joined by wires, run in the order in which they were added.

    A module can only read wires that exist, so every circuit is acyclic and its order is topological.  A
    value that feeds several modules receives the sum of their adjoints.  Modules that no output depends on
    are not run, and no adjoint is passed back into what depends on constants only.

    Parameter gradients are those of the *latest* backward pass: they are replaced by the next one, not added
    to. A circuit is a Module, so circuits nest; the parameters of an inner circuit belong to the outer one as
    well, under the name `node.parameter`.  Once nested, a circuit can no longer be extended.

    Examples
    --------
    >>> from autodiff.modules import Add, Multiply
    >>> circuit = Circuit()
    >>> x = circuit.input("x")
    >>> slope = circuit.parameter("slope", 3.0)
    >>> circuit.output(circuit.add(Add(), circuit.add(Multiply(), slope, x), x))
    >>> float(circuit.forward(2.0))
    8.0
    >>> [float(adjoint) for adjoint in circuit.backward(1.0)]
    [4.0]
    >>> circuit.gradients()
    {'slope': array(2.)}
    """

    def __init__(self, name: str = "circuit") -> None:
        self.name = name
        self._names: list[str] = []  # of each slot
        self._taken: set[str] = set()  # names of slots and nodes
        # The circuit, its modules and those inside them, by identity, each with its place.
        self._modules: dict[int, tuple[str, Module]] = {id(self): (repr(self), self)}
        self._slot_of: dict[int, int] = {}  # of each parameter, by its identity
        self._depth = 1  # of nested circuits
        self._inputs: list[int] = []
        self._parameters: dict[int, Parameter] = {}
        self._constants: dict[int, Any] = {}
        self._nodes: list[Node] = []
        self._outputs: list[int] = []
        self._nested = False
        self._plan: Plan | None = None

    def __repr__(self) -> str:
        return f"Circuit({self.name!r})"

    # Building

    def input(self, name: str) -> Wire:
        """Declare the next argument of `forward`."""
        wire = self._leaf(name)
        self._inputs.append(wire.slot)
        return wire

    def parameter(self, parameter: str | Parameter, value: ArrayLike | None = None) -> Wire:
        """Declare a parameter: a name and its first value (copied), or a Parameter to share."""
        if isinstance(parameter, str):
            if value is None:
                raise CircuitError(f"{self!r}: parameter {parameter!r} has no value; give its first value")
            parameter = Parameter(parameter, value)
        elif value is not None:
            raise CircuitError(f"{self!r}: parameter {parameter.name!r} already has a value; leave the second one out")
        if id(parameter) in self._slot_of:
            slot = self._slot_of[id(parameter)]
            return Wire(self, slot, self._names[slot])
        wire = self._leaf(parameter.name)
        self._slot_of[id(parameter)] = wire.slot
        self._parameters[wire.slot] = parameter
        return wire

    def constant(self, value: Any, name: str | None = None) -> Wire:
        """Declare a value that never changes; no adjoint is passed to it."""
        wire = self._leaf(name or f"constant_{len(self._constants) + 1}")
        self._constants[wire.slot] = value
        return wire

    def add(self, module: Module, *wires: Wire, name: str | None = None) -> Any:
        """Add a module that reads `wires`; return the wire of its output, or a tuple of wires."""
        self._open()
        if not isinstance(module, Module):
            raise CircuitError(f"{self!r}: cannot add {module!r}, which is not a Module; make an instance of one")
        name = self._fresh(name or f"{type(module).__name__}_{len(self._nodes) + 1}")
        for position, wire in enumerate(wires):
            self._check_wire(wire, f"input {position} of node {name!r} ({module!r})")
        new = self._check_new(module, name)
        if isinstance(module, Circuit):
            module._nest(len(wires), name, self)
            self._depth = max(self._depth, module._depth + 1)
        self._modules |= new
        self._taken.add(name)
        count = module.output_count
        wire_names = [name] if count == 1 else [f"{name}[{position}]" for position in range(count)]
        outputs = tuple(self._slot(wire_name) for wire_name in wire_names)
        self._nodes.append(Node(repr(self), name, module, tuple(wire.slot for wire in wires), outputs))
        made = tuple(Wire(self, *pair) for pair in zip(outputs, wire_names, strict=True))
        return made[0] if count == 1 else made

    def output(self, *wires: Wire) -> None:
        """Declare the next outputs; with several, `forward` returns a tuple."""
        self._open()
        for wire in wires:
            self._check_wire(wire, f"output {len(self._outputs)}")
            self._outputs.append(wire.slot)

    # Running

    @property
    def output_count(self) -> int:  # type: ignore[override]  # a class attribute of Module, counted here
        """The number of outputs declared so far."""
        return len(self._outputs)

    def forward(self, *inputs: Any) -> Any:
        """Run the modules; return the output, or a tuple of outputs if several are declared."""
        # Should a module raise, the previous pass must not be taken for this one.
        self._tape = None
        plan = self._planned()
        if len(inputs) != len(self._inputs):
            names = ", ".join(self._names[slot] for slot in self._inputs)
            raise CircuitError(f"{self!r}: forward takes {len(self._inputs)} inputs ({names}), not {len(inputs)}")
        values: list[Any] = [None] * len(self._names)
        for slot, value in self._constants.items():
            values[slot] = value
        for slot, parameter in self._parameters.items():
            values[slot] = parameter.read()
        for slot, value in zip(self._inputs, inputs, strict=True):
            values[slot] = value
        self._keep(values, plan.forward(values))
        outputs = tuple(values[slot] for slot in self._outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def backward(self, *adjoints: Any) -> tuple[Adjoint | None, ...]:
        """Return the adjoints of the inputs (None where no output depends on one) and set gradients.

        One adjoint is due for each output: an array of the output's shape, or None for zero.
        """
        self._kept()
        parameters = self.named_parameters().values()
        for parameter in parameters:
            parameter.gradient = None
        adjoints_of_inputs = self._propagate(*adjoints)
        for parameter in parameters:
            gradient = parameter.gradient
            if gradient is None:
                parameter.gradient = np.zeros_like(parameter.value)
            elif not isinstance(gradient, SparseAdjoint):
                # Modules may return the same array for several inputs; a gradient belongs to its parameter
                # alone.
                parameter.gradient = np.array(gradient)
        return adjoints_of_inputs

    def value(self, wire: Wire) -> Any:
        """Return the value on a wire in the latest forward pass."""
        self._check_wire(wire, "value")
        values, _ = self._kept()
        if wire.slot in self._planned().skipped:
            raise CircuitError(f"{self!r}: {wire.name!r} was not computed, because no output depends on it")
        return values[wire.slot]

    # Parameters

    def named_parameters(self) -> dict[str, Parameter]:
        """Return every parameter once, those of nested circuits included, by name."""
        found: dict[str, Parameter] = {}
        seen: set[int] = set()
        for name, parameter in self._own_and_nested():
            if id(parameter) in seen:
                continue
            if name in found:
                raise CircuitError(f"{self!r} has two parameters named {name!r}; rename the node or the parameter")
            found[name] = parameter
            seen.add(id(parameter))
        return found

    def _own_and_nested(self) -> Iterator[tuple[str, Parameter]]:
        for slot, parameter in self._parameters.items():
            yield self._names[slot], parameter
        for node in self._nodes:
            if isinstance(node.module, Circuit):
                for name, parameter in node.module.named_parameters().items():
                    yield f"{node.name}.{name}", parameter

    def parameters(self) -> dict[str, Array]:
        """Return the live array of every parameter by name; an optimiser changes them in place."""
        return {name: parameter.value for name, parameter in self.named_parameters().items()}

    def gradients(self) -> dict[str, Adjoint]:
        """Return the gradient of every parameter in the latest backward pass by name."""
        gradients = {}
        for name, parameter in self.named_parameters().items():
            if parameter.gradient is None:
                raise CircuitError(f"{self!r}: parameter {name!r} has no gradient yet; run forward and backward first")
            gradients[name] = parameter.gradient
        return gradients

    # Private: building

    def _leaf(self, name: str) -> Wire:
        self._open()
        return Wire(self, self._slot(self._fresh(name)), name)

    def _slot(self, name: str) -> int:
        self._names.append(name)
        self._taken.add(name)
        return len(self._names) - 1

    def _fresh(self, name: str) -> str:
        if name in self._taken:
            raise CircuitError(f"{self!r}: the name {name!r} is already taken; choose another one")
        return name

    def _open(self) -> None:
        if self._nested:
            raise CircuitError(f"{self!r} is part of another circuit and can no longer change; extend it before")
        self._tape = None
        self._plan = None

    def _nest(self, wires: int, name: str, outer: "Circuit") -> None:
        self._planned()
        if wires != len(self._inputs):
            raise CircuitError(f"{outer!r}: node {name!r} ({self!r}) has {len(self._inputs)} inputs, not {wires}")
        if self._depth >= DEEPEST:
            raise CircuitError(
                f"{outer!r}: node {name!r} would nest circuits {self._depth + 1} deep, but at most {DEEPEST} run "
                "within Python's stack; add the modules to one circuit, which may be as long as you like"
            )
        self._nested = True

    def _check_wire(self, wire: Any, role: str) -> None:
        if not isinstance(wire, Wire):
            kind = type(wire).__name__
            raise CircuitError(f"{self!r}: {role} is a {kind}, not a wire; wrap it with constant() or parameter()")
        if wire.circuit is not self:
            raise CircuitError(
                f"{self!r}: {role} is wire {wire.name!r} of another circuit ({wire.circuit!r}); "
                "declare an input here and pass the value through it"
            )

    def _check_new(self, module: Module, name: str) -> dict[int, tuple[str, Module]]:
        """Return the module and those inside it, none of which may be here already."""
        new = _modules_in(module, name)
        for identity in new.keys() & self._modules.keys():
            place, instance = new[identity]
            raise CircuitError(
                f"{self!r}: {place} would be the same instance of {type(instance).__name__} as "
                f"{self._modules[identity][0]}, and overwrite what that keeps; make a new instance"
            )
        return new

    # Private: running

    def _planned(self) -> Plan:
        if self._plan is None:
            if not self._outputs:
                raise CircuitError(f"{self!r} has no output; declare one with output(wire)")
            leaves = {*self._inputs, *self._parameters}
            for node in self._nodes:
                # A circuit with parameters depends on more than its inputs.
                if isinstance(node.module, Circuit) and node.module.named_parameters():
                    leaves.update(node.outputs)
            self._plan = Plan.of(self._nodes, leaves, self._outputs)
        return self._plan

    def _propagate(self, *adjoints_of_outputs: Any) -> tuple[Adjoint | None, ...]:
        """Run the modules in reverse; add to (do not replace) the gradients of the parameters."""
        values, tapes = self._kept()
        adjoints = self._seed(adjoints_of_outputs, values)
        self._planned().backward(values, tapes, adjoints)
        for slot, parameter in self._parameters.items():
            if slot in adjoints:
                earlier = parameter.gradient
                parameter.gradient = adjoints[slot] if earlier is None else earlier + adjoints[slot]
        return tuple(adjoints.get(slot) for slot in self._inputs)

    def _seed(self, given: tuple[Any, ...], values: list[Any]) -> dict[int, Adjoint]:
        if len(given) != len(self._outputs):
            raise CircuitError(f"{self!r}: backward takes {len(self._outputs)} adjoints, not {len(given)}")
        adjoints: dict[int, Adjoint] = {}
        for slot, adjoint in zip(self._outputs, given, strict=True):
            if adjoint is not None:
                array = dense(adjoint)
                check_shape(array, values[slot], f"{self!r}: the adjoint of output {self._names[slot]!r}")
                adjoints[slot] = adjoints[slot] + array if slot in adjoints else array
        return adjoints


def _modules_in(module: Module, name: str) -> dict[int, tuple[str, Module]]:
    """Return the module and, in a circuit, those inside it: place and instance by identity."""
    found = module._modules if isinstance(module, Circuit) else {}
    return {id(module): (f"node {name!r}", module)} | {
        identity: (f"{place} in node {name!r}", instance)
        for identity, (place, instance) in found.items()
        if identity != id(module)
    }

"""Modules wired into a directed acyclic graph, which is itself a module."""

from collections.abc import Iterator
from typing import Any, final

from numpy.typing import ArrayLike

from autodiff.arrays import Array
from autodiff.errors import CircuitError
from autodiff.module import Backward, Module
from autodiff.parameter import Parameter
from autodiff.plan import CircuitPlan, active_slots, needed_nodes
from autodiff.wiring import Node, Wire

__all__ = ["Circuit", "Wire"]

# A nested circuit takes two or three frames of Python's stack, of which there are 1000 unless its user asks for more.
DEEPEST = 200


class Circuit(Module):
    """A differentiable program: modules joined by wires, run in the order in which they were added.

    A module can only read wires that exist, so every circuit is acyclic and its order is topological.  A
    value that feeds several modules receives the sum of their adjoints.  Modules that no output depends on
    are not run, and no adjoint is passed back into what depends on constants only.

    `forward` returns the outputs and `backward`, which returns `Adjoints`: those of the inputs, and in
    `gradients` those of the parameters.  Neither leaves anything behind on the circuit.  A circuit is a
    Module, so circuits nest; the parameters of an inner circuit belong to the outer one as well, under the
    name `node.parameter`.  Once nested, a circuit can no longer be extended.

    Examples
    --------
    >>> from autodiff.modules import Add, Multiply
    >>> circuit = Circuit()
    >>> x = circuit.input("x")
    >>> slope = circuit.parameter("slope", 3.0)
    >>> circuit.output(circuit.add(Add(), circuit.add(Multiply(), slope, x), x))
    >>> output, backward = circuit.forward(2.0)
    >>> float(output)
    8.0
    >>> adjoints = backward(1.0)
    >>> [float(adjoint) for adjoint in adjoints]
    [4.0]
    >>> adjoints.gradients
    {'slope': array(2.)}
    """

    def __init__(self, name: str = "circuit") -> None:
        self.name = name
        self._names: list[str] = []  # of each slot
        self._taken: set[str] = set()  # names of slots and nodes
        self._slot_of: dict[Parameter, int] = {}
        self._depth = 1  # of nested circuits
        self._inputs: list[int] = []
        self._constants: dict[int, Any] = {}
        self._nodes: list[Node] = []
        self._outputs: list[int] = []
        self._nested = False
        self._plan: CircuitPlan | None = None

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
        if parameter in self._slot_of:
            slot = self._slot_of[parameter]
            return Wire(self, slot, self._names[slot])
        wire = self._leaf(parameter.name)
        self._slot_of[parameter] = wire.slot
        return wire

    def constant(self, value: Any, name: str | None = None) -> Wire:
        """Declare a value that never changes; no adjoint is passed to it."""
        wire = self._leaf(name or f"constant_{len(self._constants) + 1}")
        self._constants[wire.slot] = value
        return wire

    def add(self, module: Module, *wires: Wire, name: str | None = None) -> Any:
        """Add a module that reads `wires`; return the wire of its output, or a tuple of wires.

        The same instance may be added any number of times: its parameters, if it is a circuit, are then shared.
        """
        self._open()
        if not isinstance(module, Module):
            raise CircuitError(f"{self!r}: cannot add {module!r}, which is not a Module; make an instance of one")
        name = self._fresh(name or f"{type(module).__name__}_{len(self._nodes) + 1}")
        for position, wire in enumerate(wires):
            self._check_wire(wire, f"input {position} of node {name!r} ({module!r})")
        plan = self._nest(module, len(wires), name) if isinstance(module, Circuit) else None
        self._taken.add(name)
        count = module.output_count
        wire_names = [name] if count == 1 else [f"{name}[{position}]" for position in range(count)]
        outputs = tuple(self._slot(wire_name) for wire_name in wire_names)
        self._nodes.append(Node(repr(self), name, module, tuple(wire.slot for wire in wires), outputs, plan))
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

    @final
    def forward(self, *inputs: Any) -> tuple[Any, Backward]:
        """Run the modules; return the output, or a tuple of outputs if several are declared, and the way back.

        `backward` takes one adjoint for each output, an array of the output's shape or None for zero, and returns
        `Adjoints`.
        """
        trace = self._planned().run(inputs)
        return trace.output, trace.backward

    # Parameters

    def named_parameters(self) -> dict[str, Parameter]:
        """Return every parameter once, those of nested circuits included, by name."""
        found: dict[str, Parameter] = {}
        seen: set[Parameter] = set()
        for name, parameter in self._own_and_nested():
            if parameter in seen:
                continue
            if name in found:
                raise CircuitError(f"{self!r} has two parameters named {name!r}; rename the node or the parameter")
            found[name] = parameter
            seen.add(parameter)
        return found

    def _own_and_nested(self) -> Iterator[tuple[str, Parameter]]:
        for parameter, slot in self._slot_of.items():
            yield self._names[slot], parameter
        for node in self._nodes:
            if node.plan is not None:
                for name, parameter in node.plan.named.items():
                    yield f"{node.name}.{name}", parameter

    def parameters(self) -> dict[str, Array]:
        """Return the live array of every parameter by name; an optimiser changes them in place."""
        return {name: parameter.value for name, parameter in self.named_parameters().items()}

    # Private

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
        self._plan = None

    def _nest(self, inner: "Circuit", wires: int, name: str) -> CircuitPlan:
        """Take another circuit in as a node, which closes it."""
        if inner is self:
            raise CircuitError(f"{self!r}: node {name!r} would be the circuit itself; a circuit cannot contain itself")
        plan = inner._planned()
        if wires != len(plan.inputs):
            raise CircuitError(f"{self!r}: node {name!r} ({inner!r}) has {len(plan.inputs)} inputs, not {wires}")
        if inner._depth >= DEEPEST:
            raise CircuitError(
                f"{self!r}: node {name!r} would nest circuits {inner._depth + 1} deep, but at most {DEEPEST} run "
                "within Python's stack; add the modules to one circuit, which may be as long as you like"
            )
        inner._nested = True
        self._depth = max(self._depth, inner._depth + 1)
        return plan

    def _check_wire(self, wire: Any, role: str) -> None:
        if not isinstance(wire, Wire):
            kind = type(wire).__name__
            raise CircuitError(f"{self!r}: {role} is a {kind}, not a wire; wrap it with constant() or parameter()")
        if wire.circuit is not self:
            raise CircuitError(
                f"{self!r}: {role} is wire {wire.name!r} of another circuit ({wire.circuit!r}); "
                "declare an input here and pass the value through it"
            )

    def _planned(self) -> CircuitPlan:
        plan = self._plan
        if plan is None:
            if not self._outputs:
                raise CircuitError(f"{self!r} has no output; declare one with output(wire)")
            order = needed_nodes(self._nodes, self._outputs)
            plan = self._plan = CircuitPlan(
                repr(self),
                tuple(self._names),
                tuple(self._inputs),
                tuple(self._outputs),
                dict(self._constants),
                {slot: parameter for parameter, slot in self._slot_of.items()},
                self.named_parameters(),
                order,
                active_slots(order, {*self._inputs, *self._slot_of.values()}),
            )
        return plan

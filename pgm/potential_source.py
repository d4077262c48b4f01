"""Log-potentials that are computed, so that gradients reach what they are computed from."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from autodiff import Adjoint, Adjoints, Backward, Circuit, Module, Parameter, unbroadcast
from autodiff.array_types import Floats
from autodiff.module import check_pass
from pgm.errors import PotentialError

__all__ = ["Computed", "Gradients", "PotentialSource"]

Gradients: TypeAlias = Callable[[Floats], dict[str, Adjoint]]


class PotentialSource:
    """A module, and the inputs from which it computes the log-potentials of one family.

    `Scored` and `LogLinear` have one, and a `HypergraphFactor` takes one; any other family with log-potentials learns
    as well once its attribute `source` is set.  Several sources may share a module and parameters.  The family computes
    its log-potentials anew when a parameter has changed; what else a module reads must not change (or
    `Factor.refresh` be called).

    Parameters
    ----------
    module : gives log-potentials that broadcast to the shape of the family's
    inputs : of the module; those that are a `Parameter` are learned, as are the parameters of a `Circuit`
    possible : where False, the log-potential is -inf whatever the module says; broadcasts like the potentials
    reads : by the name of a parameter, the rows that the module looks at (of large hashed weights); by default all

    Examples
    --------
    >>> from autodiff.modules import Linear
    >>> weights, bias = Parameter("weights", [[1.0, -1.0]]), Parameter("bias", [0.0, 0.5])
    >>> source = PotentialSource(Linear(), [[[2.0], [3.0]], weights, bias])
    >>> potentials, gradients = source.forward()
    >>> potentials
    array([[ 2. , -1.5],
           [ 3. , -2.5]])
    >>> gradients(np.array([[1.0, 0.0], [0.0, 1.0]]))
    {'weights': array([[2., 3.]]), 'bias': array([1., 1.])}
    """

    def __init__(
        self,
        module: Module,
        inputs: Any = (),
        *,
        possible: ArrayLike | None = None,
        reads: Mapping[str, NDArray[np.int64]] | None = None,
    ) -> None:
        self.module, self.inputs = module, tuple(inputs)
        self.possible = None if possible is None else np.asarray(possible, dtype=np.bool_)
        self.reads = dict(reads or {})
        self._given = {position: value for position, value in enumerate(inputs) if isinstance(value, Parameter)}
        self._check_names()

    @classmethod
    def of(cls, given: Any) -> "PotentialSource | None":
        """Return a source, given one or a `Parameter` that holds the log-potentials themselves; None for anything else.

        Examples
        --------
        >>> PotentialSource.of(Parameter("scores", [0.5, -0.5])).forward()[0]
        array([ 0.5, -0.5])
        """
        if isinstance(given, Parameter):
            return cls(_Itself(), [given])
        return given if isinstance(given, PotentialSource) else None

    def named_parameters(self) -> dict[str, Parameter]:
        """Return what is learned, by name."""
        inside = self.module.named_parameters() if isinstance(self.module, Circuit) else {}
        return inside | {parameter.name: parameter for parameter in self._given.values()}

    @property
    def version(self) -> tuple[int, ...]:
        """The versions of the parameters: others once one of their values has changed, however that was done."""
        if isinstance(self.module, Circuit):
            return tuple(parameter.version for parameter in self.named_parameters().values())
        return tuple(parameter.version for parameter in self._given.values())

    def forward(self) -> tuple[Floats, Gradients]:
        """Compute the log-potentials; return them and what gives the gradients of the parameters by name.

        The latter takes the adjoint of the family's log-potentials, to which those of the source may have been
        broadcast.
        """
        inputs = (value.read() if isinstance(value, Parameter) else value for value in self.inputs)
        output, backward = check_pass(self.module.forward(*inputs), self.module)
        values = np.asarray(output, dtype=np.float64)

        def gradients(adjoint: Floats) -> dict[str, Adjoint]:
            if self.possible is not None:
                adjoint = np.where(self.possible, adjoint, 0.0)
            adjoints = backward(unbroadcast(adjoint, values.shape))
            found: dict[str, Adjoint] = {}
            if isinstance(self.module, Circuit) and isinstance(adjoints, Adjoints):
                found |= adjoints.gradients
            for position, parameter in self._given.items():
                gradient = adjoints[position]
                if gradient is not None:
                    earlier = found.get(parameter.name)
                    found[parameter.name] = gradient if earlier is None else earlier + gradient
            return found

        return values if self.possible is None else np.where(self.possible, values, -np.inf), gradients

    def _check_names(self) -> None:
        known = self.module.named_parameters() if isinstance(self.module, Circuit) else {}
        for parameter in self._given.values():
            if known.setdefault(parameter.name, parameter) is not parameter:
                raise PotentialError(f"two parameters of {self.module!r} are named {parameter.name!r}; rename one")


@frozen(eq=False)
class Computed:
    """Where log-potentials come from: their source, at these versions of its parameters, and the way back."""

    source: PotentialSource
    version: tuple[int, ...]
    gradients: Gradients | None

    def is_current(self, source: PotentialSource) -> bool:
        """Tell whether these are the potentials of a source as it is now."""
        return self.source is source and self.version == source.version


class _Itself(Module):
    """x → x."""

    def forward(self, values: Floats) -> tuple[Floats, Backward]:
        """Return the values."""
        return values, lambda adjoint: (adjoint,)

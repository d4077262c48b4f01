"""The contract of module-based reverse-mode differentiation (Gormley 2015; Pacaya's `Module`).

A module is a function on whole arrays that knows its own derivative.  A module has tens of siblings in a
circuit, not tens of thousands, so what it costs is what its arrays cost.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from autodiff.errors import BackwardBeforeForwardError

__all__ = ["Module"]


class Module(ABC):
    """A differentiable function of arrays.

    A subclass writes two methods, side by side:

    - `forward(*inputs)` returns one output, or a tuple of outputs, and keeps (with `_keep`) what `backward`
      needs;
    - `backward(*adjoints)` takes one adjoint for each output of the *latest* forward pass and returns a tuple
      with one adjoint for each input, None where an input is not differentiable.  An adjoint has the shape of
      the value it belongs to.  Those returned may be `SparseAdjoint`s; those taken are arrays, or None for
      zero where there are several outputs (never all of them).  It may be called several times after one
      forward pass.

    Neither may change an array it was given or has returned: the caller may still hold it.  An output may be
    a view of an input.  A module with several outputs says how many in `output_count`.

    `-inf` is a legal value in the log domain, where it is a real zero.  Nothing depends on an impossible
    part, so the adjoint of an input that is -inf is exactly 0, given that the adjoints of the outputs that
    are -inf are.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff import Module, check_gradients
    >>> class Square(Module):
    ...     def forward(self, x):
    ...         self._keep(x)
    ...         return x * x
    ...     def backward(self, adjoint):
    ...         (x,) = self._kept()
    ...         return (2 * x * adjoint,)
    >>> square = Square()
    >>> float(square.forward(np.array(3.0)))
    9.0
    >>> float(square.backward(np.array(1.0))[0])
    6.0
    >>> check_gradients(square, np.array([1.0, -2.0])).passed
    True
    """

    output_count: int = 1

    _tape: tuple[Any, ...] | None = None

    # The unused keywords make type checkers accept a subclass that names its inputs.
    @abstractmethod
    def forward(self, *inputs: Any, **_: Any) -> Any:
        """Return the output (or a tuple of outputs) for these inputs."""

    @abstractmethod
    def backward(self, *adjoints: Any, **_: Any) -> tuple[Any, ...]:
        """Return one adjoint per input, given one adjoint per output of the latest forward pass."""

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[Module, tuple[Any, ...]]]":
        """Yield pairs of a module of this class and its inputs, on which the conformance tests check it."""
        return ()

    def _propagate(self, *adjoints: Any) -> tuple[Any, ...]:
        """Run `backward` as a part of a circuit; a nested circuit then adds to the gradients of its parameters."""
        return self.backward(*adjoints)

    def _keep(self, *values: Any) -> None:
        """Replace what the previous forward pass kept by `values`."""
        self._tape = values

    def _kept(self) -> tuple[Any, ...]:
        """Return what the latest forward pass kept."""
        if self._tape is None:
            raise BackwardBeforeForwardError(
                f"{type(self).__name__}.backward was called before forward: run forward first, then backward"
            )
        return self._tape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

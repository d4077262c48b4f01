"""The contract of module-based reverse-mode differentiation (Gormley 2015; Pacaya's `Module`).

A module is a function on whole arrays that knows its own derivative.  A module has tens of siblings in a
circuit, not tens of thousands, so what it costs is what its arrays cost.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from autodiff.errors import ModuleError

__all__ = ["Backward", "Module", "check_pass"]

Backward: TypeAlias = Callable[..., tuple[Any, ...]]


class Module(ABC):
    """A differentiable function of arrays.

    A subclass writes one method, `forward(*inputs)`, which returns a pair:

    - the output: one array, or a tuple of arrays if `output_count` says that there are several;
    - `backward(*adjoints)`, a function that takes one adjoint for each output and returns a tuple with one
      adjoint for each input, None where an input is not differentiable.  An adjoint has the shape of the value
      it belongs to.  Those returned may be `SparseAdjoint`s; those taken are arrays, or None for zero where
      there are several outputs (never all of them).

    What `backward` needs it finds in the variables of the call of `forward` in which it is defined.  Nothing
    is kept on the module: so one instance can serve many places and threads, and `backward` can be called
    any number of times, and after other forward passes.

    Neither may change an array it was given or has returned: the caller may still hold it.  An output may be
    a view of an input.

    `-inf` is a legal value in the log domain, where it is a real zero.  Nothing depends on an impossible
    part, so the adjoint of an input that is -inf is exactly 0, given that the adjoints of the outputs that
    are -inf are.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff import Module, check_gradients
    >>> class Square(Module):
    ...     def forward(self, x):
    ...         def backward(adjoint):
    ...             return (2 * x * adjoint,)
    ...         return x * x, backward
    >>> square = Square()
    >>> output, backward = square.forward(np.array(3.0))
    >>> float(output), float(backward(np.array(1.0))[0])
    (9.0, 6.0)
    >>> float(square(np.array(3.0)))
    9.0
    >>> check_gradients(square, np.array([1.0, -2.0])).passed
    True
    """

    output_count: int = 1

    # The unused keywords make type checkers accept a subclass that names its inputs.
    @abstractmethod
    def forward(self, *inputs: Any, **_: Any) -> tuple[Any, Backward]:
        """Return the output (or a tuple of outputs) for these inputs, and what takes adjoints back."""

    def __call__(self, *inputs: Any) -> Any:
        """Return the output (or a tuple of outputs) alone."""
        output, _ = check_pass(self.forward(*inputs), self)
        return output

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[Module, tuple[Any, ...]]]":
        """Yield pairs of a module of this class and its inputs, on which the conformance tests check it."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def check_pass(returned: Any, owner: object) -> tuple[Any, Backward]:
    """Return what `forward` of the owner returned, if it is a pair of an output and a function.

    Examples
    --------
    >>> check_pass(np.ones(2), "Square()")
    Traceback (most recent call last):
    autodiff.errors.ModuleError: forward of Square() returned a ndarray; it must return a pair (output, backward)
    """
    if isinstance(returned, tuple) and len(returned) == 2 and callable(returned[1]):
        return returned
    seen = f"a tuple of {len(returned)}" if isinstance(returned, tuple) else f"a {type(returned).__name__}"
    raise ModuleError(f"forward of {owner} returned {seen}; it must return a pair (output, backward)")

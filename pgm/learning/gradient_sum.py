"""Gradients of a few instances, summed by name: for whoever takes no steps, such as L-BFGS and gradient checks."""

from collections.abc import Collection

import numpy as np
from attrs import define, field

from autodiff import Adjoint, SparseAdjoint
from autodiff.optimizers import GradientBuffer
from pgm.learning.scorer import Gradients

__all__ = ["Chosen", "GradientSum"]


@define
class GradientSum:
    """Sums what is added, and gives it out by name.

    Parameters
    ----------
    slots : of each hashed parameter, how long it is

    Examples
    --------
    >>> import numpy as np
    >>> gradients = GradientSum()
    >>> gradients.add("w", np.array([1.0, 2.0]))
    >>> gradients.add("w", np.array([1.0, 0.0]))
    >>> gradients.take(scale=0.5)
    {'w': array([1., 1.])}
    """

    slots: dict[str, int] = field(factory=dict)
    _found: dict[str, list[Adjoint]] = field(factory=dict, init=False, repr=False)
    _buffers: dict[str, GradientBuffer] = field(factory=dict, init=False, repr=False)

    def add(self, name: str, adjoint: Adjoint) -> None:
        """Add to the gradient of a parameter."""
        self._found.setdefault(name, []).append(adjoint)

    def buffer(self, name: str) -> GradientBuffer:
        """Return where the gradient of a hashed parameter is gathered."""
        if name not in self._buffers:
            self._buffers[name] = GradientBuffer(self.slots[name])
        return self._buffers[name]

    def take(self, scale: float = 1.0) -> dict[str, Adjoint]:
        """Return `scale` times the sums, sparse where all that was added is; and begin anew."""
        for name, buffer in self._buffers.items():
            indices, values = buffer.take()
            self.add(name, SparseAdjoint(indices, values, (self.slots[name],)))
        result = {name: _sum(parts, scale) for name, parts in self._found.items()}
        self._found = {}
        return result


@define
class Chosen:
    """Passes on the gradients of some parameters only: the others are not learned."""

    gradients: Gradients
    names: Collection[str]

    def add(self, name: str, adjoint: Adjoint) -> None:
        """Add to the gradient of a parameter, if it is learned."""
        if name in self.names:
            self.gradients.add(name, adjoint)

    def buffer(self, name: str) -> GradientBuffer:
        """Return where the gradient of a hashed parameter is gathered."""
        return self.gradients.buffer(name)


def _sum(parts: list[Adjoint], scale: float) -> Adjoint:
    sparse = [part for part in parts if isinstance(part, SparseAdjoint)]
    total: Adjoint | None = None
    for part in parts:
        if not isinstance(part, SparseAdjoint):
            total = scale * part if total is None else total + scale * part
    if sparse:
        indices = np.concatenate([part.indices for part in sparse])
        values = np.concatenate([part.values for part in sparse])
        one = SparseAdjoint(indices, scale * values, sparse[0].shape)
        total = one if total is None else total + one
    assert total is not None
    return total

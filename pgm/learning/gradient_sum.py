"""Gradients of a few instances, summed by name: for whoever takes no steps, such as L-BFGS and gradient checks."""

from collections.abc import Collection, Mapping

import numpy as np
from attrs import define

from autodiff import Adjoint, Parameter, SparseAdjoint
from autodiff.optimizers import GradientBuffer
from pgm.learning.scorer import Gradients

__all__ = ["Chosen", "GradientSum"]


class GradientSum:
    """Sums what is added, and gives it out by name.

    Parameters
    ----------
    parameters : of which the gradients are

    Examples
    --------
    >>> gradients = GradientSum({"w": Parameter("w", [0.0, 0.0])})
    >>> gradients.add("w", np.array([1.0, 2.0]))
    >>> gradients.add("w", np.array([1.0, 0.0]))
    >>> gradients.take(scale=0.5)
    {'w': array([1., 1.])}
    """

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self._parameters = parameters
        self._found: dict[str, list[Adjoint]] = {}
        self._buffers: dict[str, GradientBuffer] = {}

    def wants(self, name: str) -> bool:
        """Tell whether it is one of the parameters."""
        return name in self._parameters

    def add(self, name: str, adjoint: Adjoint) -> None:
        """Add to the gradient of a parameter."""
        self._found.setdefault(name, []).append(adjoint)

    def buffer(self, name: str) -> GradientBuffer:
        """Return where the gradient of a hashed parameter is gathered."""
        if name not in self._buffers:
            self._buffers[name] = GradientBuffer(len(self._parameters[name].read()))
        return self._buffers[name]

    def take(self, scale: float = 1.0) -> dict[str, Adjoint]:
        """Return `scale` times the sums, sparse where all that was added is; and begin anew."""
        for name, buffer in self._buffers.items():
            indices, values = buffer.take()
            self.add(name, SparseAdjoint(indices, values, (len(buffer),)))
        result = {name: _sum(parts, scale) for name, parts in self._found.items()}
        self._found = {}
        return result


@define
class Chosen:
    """Passes on the gradients of some parameters only: the others are not learned."""

    gradients: Gradients
    names: Collection[str]

    def wants(self, name: str) -> bool:
        """Tell whether a parameter is learned."""
        return name in self.names

    def add(self, name: str, adjoint: Adjoint) -> None:
        """Add to the gradient of a parameter, if it is learned."""
        if name in self.names:
            self.gradients.add(name, adjoint)

    def buffer(self, name: str) -> GradientBuffer:
        """Return where the gradient of a hashed parameter is gathered."""
        return self.gradients.buffer(name)


def _sum(parts: list[Adjoint], scale: float) -> Adjoint:
    sparse = [part for part in parts if isinstance(part, SparseAdjoint)]
    dense = [part for part in parts if not isinstance(part, SparseAdjoint)]
    if not sparse:
        return np.asarray(scale * np.sum(dense, axis=0))
    indices = np.concatenate([part.indices for part in sparse])
    total = SparseAdjoint(indices, scale * np.concatenate([part.values for part in sparse]), sparse[0].shape)
    return np.asarray(scale * np.sum(dense, axis=0) + total.dense()) if dense else total

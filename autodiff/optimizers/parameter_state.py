"""What a store remembers of one parameter, and what its steps do to it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.files import ArraySpec
from autodiff.optimizers.errors import OptimizerError
from autodiff.optimizers.gradient_sum import GradientSum
from autodiff.optimizers.gradients import check_array

__all__ = ["Memory", "ParameterState"]

Memory = dict[str, NDArray[Any]]


class ParameterState(ABC):
    """The gradient, the memory and the average of one parameter; its weights are handed in.

    Attributes
    ----------
    name, shape : of the parameter
    gradient : what was added since the last step
    """

    def __init__(self, name: str, shape: tuple[int, ...], gradient: GradientSum) -> None:
        self.name, self.shape, self.gradient = name, shape, gradient

    @abstractmethod
    def prepare(self, weights: Floats, rate: float, scale: float) -> Callable[[], None]:
        """Catch up what a step will touch, check and compute the step, and return what carries it out."""

    @abstractmethod
    def catch_up(self, weights: Floats, rows: NDArray[np.int64] | None) -> None:
        """Shrink rows (None for all) by the steps that they missed."""

    @abstractmethod
    def averaged(self, weights: Floats) -> Floats:
        """Return the mean of the weights after each step since `restart_average`; nothing changes."""

    @abstractmethod
    def restart_average(self) -> None:
        """Forget the weights so far; all rows are caught up."""

    @abstractmethod
    def memory(self) -> Memory:
        """Return what later steps depend on, besides the weights."""

    @abstractmethod
    def remember(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Put back what `memory` returned, which fits the `specs`."""

    @abstractmethod
    def specs(self) -> dict[str, ArraySpec]:
        """Return the dtypes and shapes of the memory."""

    def squared_norm(self) -> float:
        """Return Σ g² of what was added."""
        values = self.gradient.rows().values
        return float(np.vdot(values, values))

    def check(self, weights: Floats) -> None:
        """Refuse weights that cannot be updated in place, or have another shape than before."""
        check_array(self.name, weights)
        if weights.shape != self.shape:
            raise OptimizerError(
                f"parameter {self.name!r} has shape {weights.shape}, but had {self.shape} before: a name stands for "
                "one array; use a fresh optimiser or store, or another name"
            )

"""Steps on plain arrays, which are handed in with every call."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.optimizers.errors import OptimizerError
from autodiff.optimizers.gradients import Gradient, check_gradients_known, check_parameters
from autodiff.optimizers.parameter_store import ParameterStore
from autodiff.parameter import Parameter

if TYPE_CHECKING:
    from autodiff.optimizers.optimizer import Optimizer

__all__ = ["ArrayStore"]


class ArrayStore(ParameterStore):
    """The store behind `Optimizer.step(parameters, gradients)`: it knows arrays by their names.

    A name that is left out of a call is not touched, and one that is new is added.
    """

    def __init__(self, optimizer: "Optimizer") -> None:
        super().__init__(optimizer, {})

    def step_with(
        self, arrays: Mapping[str, NDArray[np.float64]], gradients: Mapping[str, Gradient], *, loss: float | None
    ) -> None:
        """Take a step, as `Optimizer.step` says."""
        check_gradients_known(arrays, gradients)
        self._take(arrays)
        try:
            for name, gradient in gradients.items():
                if gradient is not None:
                    self.add(name, gradient)
            self.step(loss=loss)
        finally:
            self.clear()

    def catch_up_with(
        self, arrays: Mapping[str, NDArray[np.float64]], name: str | None, indices: ArrayLike | None
    ) -> None:
        """Catch up, as `Optimizer.catch_up` says."""
        if name is not None and name not in arrays:
            raise OptimizerError(f"no parameter {name!r} to catch up; the parameters are {sorted(arrays)}")
        if indices is not None and name is None:
            raise OptimizerError("catch_up was given indices but no name: say of which parameter they are")
        self._take(arrays)
        self.catch_up(None if name is None else {name: indices})

    def _take(self, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        check_parameters(arrays)
        self.parameters = {name: _ArrayParameter(name, array) for name, array in arrays.items()}
        for name, parameter in self.parameters.items():
            self._remember(name, parameter)


class _ArrayParameter(Parameter):
    """An array that is somebody else's: it is not copied, and nobody asks for its version."""

    __slots__ = ()

    def __init__(self, name: str, array: NDArray[np.float64]) -> None:
        super().__init__(name, 0.0)
        self._own(array)

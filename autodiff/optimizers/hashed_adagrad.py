"""The steps of AdaGrad with ℓ2 on hashed weights, compiled."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.files import ArraySpec
from autodiff.optimizers import kernels
from autodiff.optimizers.errors import OptimizerError
from autodiff.optimizers.gradient_buffer import GradientBuffer
from autodiff.optimizers.gradient_sum import HashedGradientSum
from autodiff.optimizers.parameter_state import Memory, ParameterState
from autodiff.optimizers.timeline import Timeline

__all__ = ["HashedAdaGradState"]

# Of a slot: its gradient, sum of squares, number of steps it is caught up with, sum of weights: together, so that they
# are in one line of cache.
_COLUMNS = 4
_SQUARES, _CAUGHT_UP, _SUM = 1, 2, 3


class HashedAdaGradState(ParameterState):
    """What `RowState` does for AdaGrad without ℓ1, in compiled loops over the slots that were touched.

    Catching up costs time for each *change* of the rate since a slot was last touched: prefer schedules that change it
    rarely (`StepDecay`) to those that do in every step.
    """

    def __init__(self, name: str, slots: int, timeline: Timeline, *, l2: float, delta: float) -> None:
        self._buffer = GradientBuffer(slots, memory=np.zeros((slots, _COLUMNS)))
        super().__init__(name, (slots,), HashedGradientSum(name, self._buffer))
        self._timeline, self._l2, self._delta = timeline, l2, delta
        self._buffer.memory[:, _CAUGHT_UP] = timeline.steps

    def prepare(self, weights: Floats, rate: float, scale: float) -> Callable[[], None]:
        """Return what catches the touched slots up and updates them, and clears the gradient."""

        def carry_out() -> None:
            buffer = self._buffer
            touched = kernels.gradients.arrange(buffer.touched, buffer.used, len(buffer))
            kernels.adagrad.update(weights, buffer.memory, touched, scale, rate, *self._missing)
            buffer.used = 0

        return carry_out

    @property
    def _missing(self) -> tuple[int, float, float, NDArray[np.int64], NDArray[np.float64]]:
        """What kernels need to catch up: steps taken, λ, δ, and the rates of past steps, in runs."""
        return self._timeline.steps, self._l2, self._delta, *self._timeline.rates.runs()

    def catch_up(self, weights: Floats, rows: NDArray[np.int64] | None) -> None:
        """Shrink slots (None for all) by the steps that they missed."""
        if not self._timeline.shrinks:
            return
        if rows is None:
            kernels.adagrad.catch_up_all(weights, self._buffer.memory, *self._missing)
        else:
            kernels.adagrad.catch_up(rows.astype(np.uint32), weights, self._buffer.memory, *self._missing)

    def averaged(self, weights: Floats) -> Floats:
        """Return the mean of the weights after each step since `restart_average`; nothing changes."""
        mean = np.empty(len(weights))
        kernels.adagrad.sums(weights, self._buffer.memory, *self._missing, mean)
        mean /= self._timeline.steps - self._timeline.averaged_from
        return mean

    def restart_average(self) -> None:
        """Forget the weights so far; all slots are caught up."""
        self._buffer.memory[:, _SUM] = 0.0
        self._buffer.memory[:, _CAUGHT_UP] = self._timeline.steps

    def memory(self) -> Memory:
        """Return what later steps depend on, besides the weights: as `RowState` keeps it."""
        columns = self._buffer.memory.T
        memory: Memory = {"squares": columns[_SQUARES]}
        if self._timeline.average:
            memory["sum"] = columns[_SUM]
        if self._timeline.is_lazy:
            memory["caught_up"] = columns[_CAUGHT_UP].astype(np.int32)
        return memory

    def remember(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Put back what `memory` returned."""
        columns = self._buffer.memory.T
        columns[_SQUARES] = memory["squares"]
        if self._timeline.average:
            columns[_SUM] = memory["sum"]
        if self._timeline.is_lazy:
            columns[_CAUGHT_UP] = memory["caught_up"]

    def specs(self) -> dict[str, ArraySpec]:
        """Return the dtypes and shapes of the memory."""
        dtypes = {"squares": "float64"}
        if self._timeline.average:
            dtypes["sum"] = "float64"
        if self._timeline.is_lazy:
            dtypes["caught_up"] = "int32"
        return {key: ArraySpec(dtype, self.shape) for key, dtype in dtypes.items()}

    def check(self, weights: Floats) -> None:
        """Refuse weights that the kernels cannot update."""
        super().check(weights)
        if not weights.flags.c_contiguous:
            raise OptimizerError(f"parameter {self.name!r} is not contiguous in memory: pass a contiguous copy")

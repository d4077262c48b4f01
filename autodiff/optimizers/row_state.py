"""The steps of any optimiser on the rows of one array, dense or sparse."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.files import ArraySpec
from autodiff.optimizers.errors import DivergenceError, GradientError
from autodiff.optimizers.gradient_sum import GradientSum
from autodiff.optimizers.gradients import RowGradient, as_rows
from autodiff.optimizers.parameter_state import Memory, ParameterState
from autodiff.optimizers.timeline import Timeline

if TYPE_CHECKING:
    from autodiff.optimizers.optimizer import Optimizer

__all__ = ["RowState"]

Rows = slice | NDArray[np.int64]
# Numbers worked on at a time: temporaries stay in the cache, and below the size from which the C library asks
# the operating system for every one of them and gives it back, which costs more than the arithmetic.
_CHUNK = 1 << 13


class RowState(ParameterState):
    """A memory with a row for each row of the weights, of which a step costs only the rows that it touches.

    Rows that it does not touch are caught up later: with the shrinkage of the steps that they missed and, if an average
    is wanted, with the sum of their weights after each of them.
    """

    def __init__(
        self, optimizer: "Optimizer", name: str, shape: tuple[int, ...], gradient: GradientSum, timeline: Timeline
    ) -> None:
        super().__init__(name, shape, gradient)
        self._optimizer, self._timeline = optimizer, timeline
        self._memory = self._made(np.broadcast_to(0.0, shape or (1,)))

    def _made(self, weights: Floats) -> Memory:
        memory = self._optimizer.initial_memory(weights)
        if self._timeline.average:
            memory["sum"] = np.zeros(weights.shape)
        if self._timeline.is_lazy:  # nothing is missing of steps before the parameter was there
            memory["caught_up"] = np.full(len(weights), self._timeline.steps, dtype=np.int32)
        return memory

    def prepare(self, weights: Floats, rate: float, scale: float) -> Callable[[], None]:
        """Catch up what a step will touch, check and compute the step, and return what carries it out."""
        weights = as_rows(weights)
        gradient = self._scaled(scale)
        if self._optimizer.needs_dense and not isinstance(gradient.rows, slice):
            raise GradientError(
                f"{type(self._optimizer).__name__} with these settings needs a dense gradient in every step, but that "
                f"of {self.name!r} is sparse or missing: pass gradient.dense() or zeros, or switch momentum off"
            )
        if self._timeline.is_lazy:
            self._catch_up(weights, gradient.rows)
        changes = [
            (part.rows, *self._changed(weights, part, rate)) for part in map(gradient.part, _parts(gradient.values))
        ]

        def carry_out() -> None:
            for rows, new_weights, new_memory in changes:
                weights[rows] = new_weights
                for key, value in new_memory.items():
                    self._memory[key][rows] = value
                if self._timeline.average:
                    self._memory["sum"][rows] += new_weights
                if self._timeline.is_lazy:
                    self._memory["caught_up"][rows] = self._timeline.steps + 1

        return carry_out

    def catch_up(self, weights: Floats, rows: NDArray[np.int64] | None) -> None:
        """Shrink rows (None for all) by the steps that they missed."""
        if self._timeline.shrinks:
            self._catch_up(as_rows(weights), slice(None) if rows is None else rows)

    def averaged(self, weights: Floats) -> Floats:
        """Return the mean of the weights after each step since `restart_average`; nothing changes."""
        rows = as_rows(weights)
        mean = np.empty(rows.shape)
        for part in _parts(rows):
            since = self._memory["caught_up"][part]
            mean[part] = self._memory["sum"][part] + self._missed(rows[part], self._of(part), since)[1]
        mean /= self._timeline.steps - self._timeline.averaged_from
        return mean.reshape(self.shape)

    def restart_average(self) -> None:
        """Forget the weights so far; all rows are caught up."""
        self._memory["sum"][:] = 0.0
        self._memory["caught_up"][:] = self._timeline.steps

    def memory(self) -> Memory:
        """Return what later steps depend on, besides the weights."""
        return self._memory

    def remember(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Put back what `memory` returned."""
        self._memory = {key: np.array(memory[key]) for key in self._memory}

    def specs(self) -> dict[str, ArraySpec]:
        """Return the dtypes and shapes of the memory."""
        return {key: ArraySpec(str(array.dtype), array.shape) for key, array in self._memory.items()}

    def _scaled(self, scale: float) -> RowGradient:
        gradient = self.gradient.rows()
        if scale == 1.0:
            return gradient
        with np.errstate(over="ignore", invalid="ignore"):
            return RowGradient(gradient.rows, gradient.values * scale)

    def _of(self, rows: Rows) -> Memory:
        """Return the optimiser's own memory of some rows."""
        return {key: value[rows] for key, value in self._memory.items() if key not in ("sum", "caught_up")}

    def _changed(self, weights: Floats, gradient: RowGradient, rate: float) -> tuple[Floats, Memory]:
        rows = gradient.rows
        with np.errstate(over="ignore", invalid="ignore"):
            new = self._optimizer.update(weights[rows], gradient.values, self._of(rows), rate)
        if not all(np.isfinite(array).all() for array in (new[0], *new[1].values())):
            raise DivergenceError(
                f"step {self._timeline.steps} would make parameter {self.name!r} or its state non-finite (learning "
                f"rate {rate:g}, largest |gradient| {np.abs(gradient.values).max():g}); nothing was updated: lower the "
                "learning rate"
            )
        return new

    def _catch_up(self, weights: Floats, rows: Rows) -> None:
        """Catch up with the steps that rows missed: all of them, or some indices, repetitions allowed."""
        for part in self._behind(weights, rows):
            since = self._memory["caught_up"][part]
            weights[part], sums = self._missed(weights[part], self._of(part), since)
            if self._timeline.average:
                self._memory["sum"][part] += sums
            self._memory["caught_up"][part] = self._timeline.steps
        if isinstance(rows, slice):
            self._memory["caught_up"][:] = self._timeline.steps

    def _behind(self, weights: Floats, rows: Rows) -> Iterator[NDArray[np.int64]]:
        """Yield the rows that missed steps, each once, in parts."""
        caught_up = self._memory["caught_up"]
        if isinstance(rows, slice):
            for part in _parts(weights):
                behind = caught_up[part] < self._timeline.steps
                # Zeros stay zeros: most of a hashed weight vector may never have been used.
                behind &= (weights[part] != 0).any(axis=tuple(range(1, weights.ndim)))
                if behind.any():
                    yield part.start + np.flatnonzero(behind)
        else:
            found = rows[caught_up[rows] < self._timeline.steps]
            # Ascending rows are several times faster to fetch from a large array.
            found = np.unique(found)
            for part in _parts(found, weights):
                yield found[part]

    def _missed(self, weights: Floats, memory: Memory, since: NDArray[Any]) -> tuple[Floats, Floats]:
        """Return rows after the steps from `since` on, and the sums of those after each, if they are wanted."""
        shrinkage = self._optimizer.shrinkage(memory)
        if shrinkage is None:
            steps = (self._timeline.steps - since).astype(np.float64)
            return weights, weights * steps.reshape(-1, *[1] * (weights.ndim - 1))
        if self._timeline.average:
            return shrinkage.after_and_sums(weights, since, self._timeline.rates)
        return shrinkage.after(weights, since, self._timeline.rates), weights


def _parts(rows: NDArray[Any], like: Floats | None = None) -> list[slice]:
    """Return slices that cover all `rows`, each of about `_CHUNK` numbers of an array `like`."""
    width = max(int(np.prod((rows if like is None else like).shape[1:])), 1)
    size = max(_CHUNK // width, 1)
    return [slice(start, start + size) for start in range(0, len(rows), size)]

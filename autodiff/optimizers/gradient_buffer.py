"""Where the gradient of hashed weights is gathered: dense, with a list of the slots that are not 0."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count, as_floats, as_integers
from autodiff.optimizers import kernels
from autodiff.optimizers.errors import GradientError, NonFiniteGradientError

__all__ = ["GradientBuffer"]

# Far from overflow even when squared and summed over a mini-batch.
_LARGEST = 1e100


class GradientBuffer:
    """The gradient of hashed weights.

    A slot is put on the list when its gradient is 0 and something is added.  So a slot whose gradient cancels out in
    between can be listed twice; readers take the value at the first sight and clear it.

    Compiled loops add to it directly: after `reserve`, they add to column 0 of `memory`, list in `touched` each slot
    that was 0, and set `used`; the numbers that they add have passed `check_adjoint`.

    Attributes
    ----------
    memory : (slots, columns); the gradient is column 0, the others belong to the optimiser
    touched : uint32, of which the first `used` count

    Examples
    --------
    >>> buffer = GradientBuffer(8)
    >>> buffer.add([3, 5, 3], [1.0, 2.0, 4.0])
    >>> buffer.take()
    (array([3, 5]), array([5., 2.]))
    >>> buffer.take()
    (array([], dtype=int64), array([], dtype=float64))
    """

    def __init__(self, slots: int, *, memory: NDArray[np.float64] | None = None) -> None:
        slots = as_count(slots, "GradientBuffer: slots", GradientError)
        self.memory = np.zeros((slots, 1)) if memory is None else _check_memory(memory, slots)
        self.touched = np.zeros(1 << 12, dtype=np.uint32)
        self.used = 0

    def __len__(self) -> int:
        """Return the number of slots."""
        return len(self.memory)

    def add(self, indices: ArrayLike, values: ArrayLike) -> None:
        """Add `values` to the gradient of the slots `indices`, repetitions allowed."""
        slots = as_integers(indices, "indices", GradientError)
        numbers = np.ascontiguousarray(as_floats(values, "values", GradientError))
        if slots.ndim != 1 or slots.shape != numbers.shape:
            raise GradientError(
                f"indices {slots.dtype}{slots.shape} and values {numbers.shape}; expected a whole number for each value"
            )
        if slots.size and not (slots.min() >= 0 and slots.max() < len(self)):
            raise GradientError(f"indices from {slots.min()} to {slots.max()}; expected them from 0 to {len(self) - 1}")
        check_adjoint(numbers)
        self.reserve(len(slots))
        self.used = kernels.gradients.add(slots.astype(np.uint32), numbers, self.memory, self.touched, self.used)

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the slots whose gradient is not 0, in ascending order, with their gradients."""
        indices = np.unique(self.touched[: self.used]).astype(np.int64)
        values = self.memory[indices, 0]
        return indices[values != 0], values[values != 0]

    def clear(self) -> None:
        """Forget what was added."""
        self.memory[self.touched[: self.used], 0] = 0.0
        self.used = 0

    def take(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the `rows`, and clear the buffer."""
        rows = self.rows()
        self.clear()
        return rows

    def reserve(self, features: int) -> None:
        """Make room on the list for that many features."""
        if self.used + features > len(self.touched):
            if self.used > len(self):  # slots that cancelled out, over and over
                self.used = self._without_repetitions()
            larger = np.zeros(max(2 * len(self.touched), self.used + features), dtype=np.uint32)
            larger[: self.used] = self.touched[: self.used]
            self.touched = larger

    def _without_repetitions(self) -> int:
        distinct: NDArray[Any] = np.unique(self.touched[: self.used])
        self.touched[: len(distinct)] = distinct
        return len(distinct)


def check_adjoint(values: NDArray[np.float64], error: type[Exception] = NonFiniteGradientError) -> None:
    """Refuse NaN, infinities and numbers with which the sum of squares would overflow.

    >>> check_adjoint(np.array([1.0, -2.0]))
    """
    if values.size and not np.abs(values).max() <= _LARGEST:
        worst = values[~(np.abs(values) <= _LARGEST)][0]
        raise error(f"a gradient of {worst}; expected finite numbers of at most {_LARGEST:g}")


def _check_memory(memory: NDArray[np.float64], slots: int) -> NDArray[np.float64]:
    """Return memory that a kernel can write to: the caller's own array, so nothing is converted."""
    given = isinstance(memory, np.ndarray)
    if not given or memory.dtype != np.float64 or memory.ndim != 2 or memory.shape[0] != slots or not memory.shape[1]:
        seen = f"{memory.dtype}{memory.shape}" if given else type(memory).__name__
        raise GradientError(f"memory is {seen}; expected a float64 array ({slots}, columns)")
    if not (memory.flags.c_contiguous and memory.flags.writeable):
        raise GradientError("memory must be contiguous and writeable, for it is written to in place; pass a copy")
    return memory

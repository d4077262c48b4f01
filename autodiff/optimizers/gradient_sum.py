"""What is added to the gradient of one parameter between two steps."""

import numpy as np
from numpy.typing import NDArray

from autodiff.optimizers.errors import NonFiniteGradientError, OptimizerError
from autodiff.optimizers.gradient_buffer import GradientBuffer
from autodiff.optimizers.gradients import RowGradient, coalesce, row_gradient
from autodiff.sparse import SparseAdjoint

__all__ = ["DenseGradientSum", "GradientSum", "HashedGradientSum"]


class DenseGradientSum:
    """The gradient of an array: sparse for as long as only sparse ones are added.

    >>> gradient = DenseGradientSum("w", (3,))
    >>> gradient.add(SparseAdjoint([1, 1], [1.0, 2.0], (3,)))
    >>> gradient.rows()
    RowGradient(rows=array([1]), values=array([3.]))
    >>> gradient.add(np.ones(3))
    >>> gradient.rows().values
    array([1., 4., 1.])
    """

    def __init__(self, name: str, shape: tuple[int, ...]) -> None:
        self.name, self.shape = name, shape
        self._dense: NDArray[np.float64] | None = None
        self._sparse: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []  # indices, each once, and values

    def add(self, gradient: NDArray[np.float64] | SparseAdjoint) -> None:
        """Add a dense array or a SparseAdjoint, which is not changed nor kept."""
        given = row_gradient(self.name, self.shape, gradient)
        with np.errstate(over="ignore", invalid="ignore"):  # the update refuses what is then not finite
            if self._dense is not None:
                self._dense[given.rows] += given.values
            elif isinstance(given.rows, slice):
                self._dense = given.values.copy()
                for indices, values in self._sparse:
                    self._dense[indices] += values
                self._sparse = []
            else:
                self._sparse.append((given.rows.copy(), given.values.copy()))

    def rows(self) -> RowGradient:
        """Return the sum, each row once."""
        if self._dense is not None:
            return RowGradient(slice(None), self._dense)
        indices = [np.zeros(0, dtype=np.int64), *(indices for indices, _ in self._sparse)]
        values = [np.zeros((0, *self.shape[1:])), *(values for _, values in self._sparse)]
        return coalesce(np.concatenate(indices), np.concatenate(values))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return self._dense is None and not any(values.size for _, values in self._sparse)

    @property
    def buffer(self) -> GradientBuffer:
        """The buffer of hashed weights, which these are not."""
        raise OptimizerError(f"parameter {self.name!r} is not hashed: add its gradient by add({self.name!r}, …)")

    def clear(self) -> None:
        """Forget what was added."""
        self._dense, self._sparse = None, []


class HashedGradientSum:
    """The gradient of hashed weights, in a buffer to which compiled loops add.

    >>> gradient = HashedGradientSum("w", GradientBuffer(8))
    >>> gradient.add(SparseAdjoint([5, 1], [1.0, 2.0], (8,)))
    >>> gradient.rows()
    RowGradient(rows=array([1, 5]), values=array([2., 1.]))
    """

    def __init__(self, name: str, buffer: GradientBuffer) -> None:
        self.name, self.buffer = name, buffer

    def add(self, gradient: NDArray[np.float64] | SparseAdjoint) -> None:
        """Add a SparseAdjoint, or a dense array of which what is 0 counts as not touched."""
        given = row_gradient(self.name, (len(self.buffer),), gradient)
        rows = np.flatnonzero(given.values) if isinstance(given.rows, slice) else given.rows
        values = given.values[rows] if isinstance(given.rows, slice) else given.values
        try:
            self.buffer.add(rows, values)
        except NonFiniteGradientError as error:
            raise NonFiniteGradientError(f"parameter {self.name!r}: {error}") from None

    def rows(self) -> RowGradient:
        """Return the slots whose sum is not 0, ascending."""
        return RowGradient(*self.buffer.rows())

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return self.buffer.used == 0

    def clear(self) -> None:
        """Forget what was added."""
        self.buffer.clear()


GradientSum = DenseGradientSum | HashedGradientSum

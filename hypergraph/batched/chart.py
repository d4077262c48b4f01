"""What the batched dynamic programs share: a chart of many objects at once, and the module made of it."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff import Backward, Module
from autodiff.array_types import Floats
from autodiff.conversion import as_floats, as_integers
from hypergraph import kernels
from hypergraph.arrays import as_kernel_floats
from hypergraph.errors import WeightError
from hypergraph.structure import LARGEST

__all__ = ["BatchChart", "BatchMarginals", "ChartOfOne"]


class BatchChart(Protocol):
    """A run of inside-outside on a batch of one or more arrays of potentials.

    An array may be broadcast along the batch (one grammar for all sentences): its marginals and adjoints are then
    summed over the batch.
    """

    @property
    def log_partitions(self) -> Floats:
        """(batch,)."""

    @property
    def marginals(self) -> tuple[Floats, ...]:
        """The expected uses of each potential, in the shapes of the potentials; zero in the padding."""

    def log_partitions_backward(self, adjoint: Floats) -> tuple[Floats, ...]:
        """Return the adjoints of the potentials, given that of the log-partitions (batch,): weighted marginals."""

    def backward(self, *adjoints: Floats | None) -> tuple[Floats, ...]:
        """Return the adjoints of the potentials, given those of the marginals."""


class BatchMarginals(Module):
    """potentials → (log-partitions (batch,), marginals of each array of potentials).

    Parameters
    ----------
    run : takes the arrays of potentials and returns the chart

    Examples
    --------
    >>> from autodiff import check_gradients
    >>> from hypergraph.batched import BatchMarginals, TreeChart
    >>> module = BatchMarginals(lambda scores: TreeChart.run(scores, lengths=[3, 2], roots="one"))
    >>> check_gradients(module, np.random.default_rng(0).normal(size=(2, 4, 4))).passed
    True
    """

    def __init__(self, run: Callable[..., BatchChart]) -> None:
        self.run = run

    def forward(self, *potentials: Floats) -> tuple[tuple[Floats, ...], Backward]:
        """Return the log-partitions and the marginals."""
        chart = self.run(*potentials)

        def backward(log_partitions: Floats | None, *marginals: Floats | None) -> tuple[Floats, ...]:
            """Return the adjoints of the potentials (Gormley et al. 2015, eqs 16–19)."""
            parts = []
            if log_partitions is not None:
                parts.append(chart.log_partitions_backward(log_partitions))
            if any(adjoint is not None for adjoint in marginals):
                parts.append(chart.backward(*marginals))
            if not parts:
                return tuple(np.zeros_like(marginal) for marginal in chart.marginals)
            return tuple(sum(arrays) for arrays in zip(*parts, strict=True))

        return (chart.log_partitions.copy(), *(marginal.copy() for marginal in chart.marginals)), backward


@frozen(eq=False)
class ChartOfOne:
    """A batch of one, seen as the chart of a `Structure`: flat arrays over its weights.

    Parameters
    ----------
    batch : the chart of the batch
    pack : puts the marginals (one array of a batch of one for each kind of potential) into one flat array
    unpack : the inverse of `pack`
    """

    batch: BatchChart = field()
    pack: Callable[[tuple[Floats, ...]], Floats] = field()
    unpack: Callable[[Floats], tuple[Floats, ...]] = field()

    @property
    def log_partition(self) -> float:
        """The log of the total weight."""
        return float(self.batch.log_partitions[0])

    @property
    def weight_marginals(self) -> Floats:
        """(weights,): the gradient of the log-partition."""
        return self.pack(self.batch.marginals)

    def backward(self, weight_adjoint: Floats) -> Floats:
        """Return the adjoint of the log-weights, given that of the marginals."""
        return self.pack(self.batch.backward(*self.unpack(weight_adjoint)))


def check_potentials(name: str, values: Any, ndim: int) -> Floats:
    """Return potentials as a float64 array that a kernel can take, or say what is wrong with them."""
    array = as_kernel_floats(values, name)
    if array.ndim != ndim:
        raise WeightError(f"{name} must have {ndim} axes, the first for the batch, but their shape is {array.shape}")
    bad = kernels.weights.unfit(array.ravel(), LARGEST)
    if bad >= 0:
        where = tuple(int(axis) for axis in np.unravel_index(bad, array.shape))
        raise WeightError(
            f"{name}{list(where)} is {array[where]}: log-weights are finite numbers below {LARGEST:g}, or -inf"
        )
    return array


def scale_rows(scales: Any, values: Floats) -> Floats:
    """Return each row values[b] (batch, …) times scales[b], the adjoint of the log-partition of that row."""
    array = as_floats(scales, "the adjoint of the log-partitions", WeightError)
    if array.shape != values.shape[:1]:
        raise WeightError(f"the adjoint of the log-partitions has shape {array.shape}, not {values.shape[:1]}")
    return array.reshape(-1, *[1] * (values.ndim - 1)) * values


def row_for(values: Floats, rows: NDArray[np.int64]) -> Floats:
    """Return some rows of a batch, of an array that may hold one row for all."""
    return values if len(values) == 1 else values[rows]


def direction(adjoint: Any, given: tuple[int, ...], shape: tuple[int, ...]) -> Floats:
    """Return the adjoint of a marginal of shape `given` as an array of `shape` that a kernel can take."""
    if adjoint is None:
        return np.zeros(shape)
    array = as_kernel_floats(adjoint, "an adjoint of marginals")
    if array.shape != given:
        raise WeightError(f"an adjoint of marginals has shape {array.shape}, but the marginals {given}")
    return array.reshape(shape)


def check_adjoints(adjoints: tuple[Any, ...], count: int) -> None:
    """Refuse another number of adjoints than there are arrays of potentials."""
    if len(adjoints) != count:
        raise WeightError(f"backward takes {count} adjoints, one (or None) for each array of marginals")


def check_lengths(lengths: Any, batch: int, longest: int) -> NDArray[np.int64]:
    """Return lengths as (batch,) int64, each between 1 and `longest`; None stands for all of them the longest."""
    if longest < 1:
        raise WeightError(f"there is room for {longest} words or positions, but at least one is needed")
    if lengths is None:
        return np.full(batch, longest)
    array = np.array(as_integers(lengths, "lengths", WeightError), order="C")
    if array.shape != (batch,) or (array < 1).any() or (array > longest).any():
        raise WeightError(
            f"lengths must be {batch} numbers between 1 and {longest}, one for each row of the batch, not {lengths}"
        )
    return array

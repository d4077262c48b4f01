"""The contract of a semiring.

A semiring is a set with an addition and a multiplication: (⊕, 0̄) is a commutative monoid, (⊗, 1̄) a monoid, ⊗
distributes over ⊕ and 0̄ annihilates.  The total weight of all derivations of a hypergraph is defined in any semiring,
and which one is chosen decides what the total means: a sum, a maximum, a count, an expectation.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hypergraph.arrays import as_kernel_floats
from hypergraph.errors import WeightError

if TYPE_CHECKING:
    from hypergraph.graph import Hypergraph

__all__ = ["Array", "Semiring", "check_nodes", "check_values"]

Array = NDArray[Any]


def check_values(graph: "Hypergraph", values: Any) -> NDArray[np.float64]:
    """Return values of weights, (weights,), as a kernel takes them."""
    return _vector(values, graph.num_weights, "values of weights")


def check_nodes(graph: "Hypergraph", values: Any) -> NDArray[np.float64]:
    """Return values of nodes, (nodes,), as a kernel takes them."""
    return _vector(values, graph.num_nodes, "values of nodes")


def _vector(values: Any, size: int, what: str) -> NDArray[np.float64]:
    array = as_kernel_floats(values, what)
    if array.shape != (size,):
        raise WeightError(f"{what} have shape {array.shape}, but must be {(size,)}")
    return array


class Semiring(ABC):
    """A semiring whose values are arrays of shape `shape` (a number: the empty shape).

    `plus` and `times` take arrays of values, shape `(…, *shape)`, and combine them elementwise with broadcasting over
    the leading axes.  That is all that the engine needs.

    Attributes
    ----------
    shape : shape of one value
    dtype : data type of the array that holds values
    zero, one : the neutral elements, arrays of shape `shape`

    Examples
    --------
    A semiring for the *least* number of some resource that a derivation needs:

    >>> from hypergraph import HypergraphBuilder, total
    >>> class MinPlus(Semiring):
    ...     zero, one = np.inf, 0.0
    ...     def plus(self, left, right):
    ...         return np.minimum(left, right)
    ...     def times(self, left, right):
    ...         return left + right
    >>> builder = HypergraphBuilder()
    >>> builder.edge("goal", weight="dear")
    >>> builder.edge("goal", weight="cheap")
    >>> float(total(builder.build("goal"), [7.0, 2.0], MinPlus()))
    2.0
    """

    shape: tuple[int, ...] = ()
    dtype: Any = np.float64
    zero: Any
    one: Any

    @abstractmethod
    def plus(self, left: Array, right: Array) -> Array:
        """Return left ⊕ right."""

    @abstractmethod
    def times(self, left: Array, right: Array) -> Array:
        """Return left ⊗ right."""

    def lift(self, log_weights: NDArray[np.float64]) -> Array:
        """Return the semiring values, `(weights, *shape)`, that log-weights `(weights,)` stand for."""
        return as_kernel_floats(log_weights, "weights")

    def sum(self, values: Array) -> Array:
        """Return the ⊕ of values along the first axis, by halves."""
        while len(values) > 1:
            half = len(values) // 2
            values = np.concatenate([self.plus(values[:half], values[half : 2 * half]), values[2 * half :]])
        return values[0] if len(values) else self.full(1, self.zero)[0]

    def full(self, length: int, value: Any) -> Array:
        """Return an array `(length, *shape)` that holds `value` everywhere."""
        array = np.empty((length, *self.shape), dtype=self.dtype)
        array[...] = value
        return array

    def inside(self, graph: "Hypergraph", values: Array) -> Array:
        """Return the inside value of every node; a semiring with a kernel of its own overrides this."""
        from hypergraph import engine

        self._check(values, graph.num_weights, "values of weights")
        return engine.inside(graph, values, self)

    def outside(self, graph: "Hypergraph", values: Array, inside: Array) -> Array:
        """Return the outside value of every node (⊗ must commute); overridden where there is a kernel."""
        from hypergraph import engine

        self._check(values, graph.num_weights, "values of weights")
        self._check(inside, graph.num_nodes, "inside values of nodes")
        return engine.outside(graph, values, inside, self)

    def _check(self, values: Array, count: int, what: str) -> None:
        if np.shape(values) != (count, *self.shape):
            raise WeightError(f"{what} in {self!r} have shape {np.shape(values)}, but must be {(count, *self.shape)}")

    def examples(self, rng: np.random.Generator, count: int) -> Array:
        """Return `count` values for `check_semiring` to try the laws on."""
        return self.lift(rng.normal(size=count))

    def close(self, left: Any, right: Any) -> bool:
        """Say whether two values are equal up to rounding."""
        with np.errstate(invalid="ignore"):  # inf - inf within isclose
            return bool(np.allclose(left, right, rtol=1e-9, atol=1e-12))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

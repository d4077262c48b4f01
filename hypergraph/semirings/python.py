"""A semiring on single Python values of any kind: strings, sets, fractions, polynomials, …"""

from abc import abstractmethod
from typing import Any

import numpy as np

from hypergraph.semirings.base import Array, Semiring

__all__ = ["PythonSemiring"]


class PythonSemiring(Semiring):
    """Write `plus_values` and `times_values` on two plain values; the rest is done here, one call a value.

    `lift` may stay as it is (values are log-weights, as floats) or be replaced by `lift_value`.

    Examples
    --------
    The set of all yields, where a weight contributes its index as a letter:

    >>> from hypergraph import HypergraphBuilder, total
    >>> class Language(PythonSemiring):
    ...     zero, one = frozenset(), frozenset({""})
    ...     def plus_values(self, left, right):
    ...         return left | right
    ...     def times_values(self, left, right):
    ...         return frozenset(x + y for x in left for y in right)
    ...     def lift_value(self, index, log_weight):
    ...         return frozenset({"ab"[index]})
    >>> builder = HypergraphBuilder()
    >>> builder.edge("x", weight="a")
    >>> builder.edge("x", weight="b")
    >>> builder.edge("xx", ["x", "x"])
    >>> sorted(total(builder.build("xx"), [0.0, 0.0], Language()))
    ['aa', 'ab', 'ba', 'bb']
    """

    dtype = object

    @abstractmethod
    def plus_values(self, left: Any, right: Any) -> Any:
        """Return left ⊕ right for two values."""

    @abstractmethod
    def times_values(self, left: Any, right: Any) -> Any:
        """Return left ⊗ right for two values."""

    def lift_value(self, index: int, log_weight: float) -> Any:
        """Return the value of weight `index`."""
        return log_weight

    def plus(self, left: Array, right: Array) -> Array:
        """Return left ⊕ right elementwise."""
        return np.frompyfunc(self.plus_values, 2, 1)(_boxed(left), _boxed(right))

    def times(self, left: Array, right: Array) -> Array:
        """Return left ⊗ right elementwise."""
        return np.frompyfunc(self.times_values, 2, 1)(_boxed(left), _boxed(right))

    def lift(self, log_weights: Array) -> Array:
        """Return `lift_value` of every weight."""
        values = self.full(len(log_weights), self.zero)
        for index, log_weight in enumerate(log_weights):
            values[index] = self.lift_value(index, float(log_weight))
        return values

    def full(self, length: int, value: Any) -> Array:
        """Return an array whose elements are `value` itself, whatever it is."""
        array = np.empty(length, dtype=object)
        array.fill(value)
        return array

    def close(self, left: Any, right: Any) -> bool:
        """Compare with ==."""
        return bool(left == right)


def _boxed(value: Any) -> Array:
    """Wrap a single value so that NumPy does not look inside it."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value
    box = np.empty((), dtype=object)
    box[()] = value
    return box

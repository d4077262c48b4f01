"""A parameter of millions of hashed weights, which nobody copies to see whether it has changed."""

import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.arrays import Array
from autodiff.conversion import as_count
from autodiff.errors import DomainError
from autodiff.parameter import Parameter

__all__ = ["HashedParameter"]


class HashedParameter(Parameter):
    """One long vector of hashed weights.

    It is a `Parameter`, but for what would cost too much on a long vector.  `version` changes when somebody says so, by
    `changed()`: a `ParameterStore` does, and who writes into `value` otherwise has to.  A vector that is assigned,
    `parameter.value = vector`, is taken as it is, float32 or float64.

    Parameters
    ----------
    name : of the parameter
    slots : the number of weights, all of them 0 at first

    Examples
    --------
    >>> weights = HashedParameter("weights", 8)
    >>> before = weights.version
    >>> weights.value[3] = 0.5
    >>> weights.version == before
    True
    >>> weights.changed()
    >>> weights.version == before
    False
    >>> weights.slots_of([["word=dog", "suffix=og"], ["word=frog", "suffix=og"]])  # of features that have names
    array([[0, 5],
           [6, 5]])
    """

    __slots__ = ()

    hashed = True

    def __init__(self, name: str, slots: int) -> None:
        super().__init__(name, np.zeros(as_count(slots, f"HashedParameter {name!r}: slots", least=1)))

    @property
    def value(self) -> Array:
        """The live vector."""
        return self._array

    @value.setter
    def value(self, value: ArrayLike) -> None:
        vector: Any = np.asarray(value)
        if vector.shape != self._array.shape or vector.dtype not in (np.float32, np.float64):
            raise DomainError(
                f"HashedParameter {self.name!r}: the value is {vector.dtype}{vector.shape}, but must be a float32 or "
                f"float64 vector of {len(self._array)} slots"
            )
        self._own(vector)

    @property
    def version(self) -> int:
        """A number that is another one after `changed`, and after a new value."""
        return self._version

    def slots_of(self, names: ArrayLike) -> NDArray[np.int64]:
        """Return the slots of features, given their names, in an array of the same shape.

        By CRC-32, so they are the same in every process.
        """
        texts = np.asarray(names)
        if texts.size and not all(isinstance(text, str) for text in texts.flat):
            raise DomainError(f"HashedParameter {self.name!r}: names of features are strings, not {texts.dtype} values")
        slots = [zlib.crc32(text.encode()) % len(self._array) for text in texts.flat]
        return np.array(slots, dtype=np.int64).reshape(texts.shape)

    def __repr__(self) -> str:
        return f"HashedParameter(name={self.name!r}, slots={len(self._array)})"

"""A leaf of a circuit that learning changes."""

import itertools
import weakref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Adjoint, Array, as_floats

__all__ = ["Parameter"]

_clock = itertools.count(1)  # versions are unique in the whole process


class Parameter:
    """A named array with its gradient and a version.

    The first value is copied, here; `value` is then the live array, which optimisers (and you) change in place.  An
    array that is assigned later, `parameter.value = array`, is taken as it is.  A Parameter may be given to several
    circuits (or several times to one): they share it, and its adjoints add.

    `version` is another number once the value has changed, however that was done: whoever keeps something that was
    computed from the value keeps the version beside it.  It costs no time as long as nobody has the live array in
    hand, for then nobody can change it; and else one comparison with the value as it was.

    Attributes
    ----------
    value : float64 array of any shape, or float32 if it was given so (a trained model's weights)
    gradient : adjoint of `value` in the latest backward pass, None before the first one

    Examples
    --------
    >>> weights = Parameter("weights", [1, 2])
    >>> weights.value
    array([1., 2.])
    >>> before = weights.version
    >>> weights.version == before
    True
    >>> weights.value[0] = 5.0
    >>> weights.version == before
    False
    """

    __slots__ = ("_array", "_given", "_lent", "_seen", "_version", "gradient", "name")

    hashed = False
    """Whether the value is one long vector, of which a step touches few places: see `HashedParameter`."""

    _array: Array
    _given: Array | None  # the live array, if it was assigned and others may have it
    _lent: "weakref.ref[Array] | None"  # the live array, if it was read here; dead once nobody has it any more
    _seen: Array | None  # the value at the latest look, None while nobody else can have changed it
    _version: int

    def __init__(self, name: str, value: ArrayLike) -> None:
        self.name = name
        self.gradient: Adjoint | None = None
        self._own(_as_stored(value).copy())  # two parameters made from one array must not change together

    @property
    def value(self) -> Array:
        """The live array."""
        array = self._given if self._lent is None else self._lent()
        if array is None:
            # Views of this one lead back to it, and not on to our own array, as that is hidden behind a memoryview:
            # so it is alive as long as anyone can change the value.
            array = np.asarray(self._array.data)
            self._lent = weakref.ref(array)
            if self._seen is None:
                self._seen = self._array.copy()
        return array

    @value.setter
    def value(self, value: ArrayLike) -> None:
        array = _as_stored(value)
        if array is self._current():
            return
        lender = array.base.obj if isinstance(array.base, memoryview) else None
        if isinstance(lender, np.ndarray) and lender.shape == array.shape and lender.flags.c_contiguous:
            self._own(lender)  # an array that was lent before comes back
            self._lent, self._seen = weakref.ref(array), array.copy()
        elif array is value:
            self._own(array)
            self._given, self._seen = array, array.copy()  # others have it: compare, always
        else:
            self._own(array)

    def read(self) -> Array:
        """Return the value for a reader, who does not change it: so the version need not be compared after that."""
        return self._array

    @property
    def version(self) -> int:
        """A number that is another one once the value has changed."""
        if self._seen is not None:
            if not (self._seen == self._array).all():
                self._version = next(_clock)
                self._seen = self._array.copy()
            if self._current() is None:  # nobody can change the value any more
                self._lent = self._seen = None
        return self._version

    def changed(self) -> None:
        """Say that the value was changed in place, so that nobody need compare: `version` is then another number."""
        self._version = next(_clock)

    def _current(self) -> Array | None:
        """The live array, if somebody else may have it."""
        return self._given if self._lent is None else self._lent()

    def _own(self, array: Array) -> None:
        self._array, self._given, self._lent, self._seen = array, None, None, None
        self._version = next(_clock)

    def __repr__(self) -> str:
        return f"Parameter(name={self.name!r}, value={self._array!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "value": self._array, "gradient": self.gradient}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.name, self.gradient = state["name"], state["gradient"]
        self._own(np.array(state["value"]))


def _as_stored(value: ArrayLike) -> Array:
    """Return an array of float32 or float64 as it is, and other numbers as float64."""
    if isinstance(value, np.ndarray) and value.dtype == np.float32:
        kept: Array = value
        return kept
    return as_floats(value)

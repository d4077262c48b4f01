"""A leaf of a circuit that learning changes."""

from attrs import define, field, setters

from autodiff.arrays import Adjoint, Array, as_floats

__all__ = ["Parameter"]


@define(eq=False)
class Parameter:
    """A named array with its gradient.

    The value is copied once, here; `value` is then the live array, which an optimiser changes in place.  A
    Parameter may be given to several circuits (or several times to one): they share it, and its adjoints add.

    Attributes
    ----------
    value : float64 array of any shape
    gradient : adjoint of `value` in the latest backward pass, None before the first one

    Examples
    --------
    >>> weights = Parameter("weights", [1, 2])
    >>> weights.value
    array([1., 2.])
    """

    name: str
    value: Array = field(converter=as_floats, on_setattr=setters.convert)
    gradient: Adjoint | None = field(default=None, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        # Two parameters made from one array must not change together.
        self.value = self.value.copy()

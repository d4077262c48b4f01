"""Arrays of users as kernels take them: float64, in C order, of a checked shape."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.conversion import as_floats
from hypergraph.errors import WeightError

__all__ = ["as_flat_adjoint", "as_kernel_floats"]


def as_kernel_floats(values: Any, what: str) -> NDArray[np.float64]:
    """Return real numbers as a float64 array in C order that may be written to; not copied if it already is one.

    Examples
    --------
    >>> as_kernel_floats([[1, 2]], "scores")
    array([[1., 2.]])
    """
    return np.require(as_floats(values, what, WeightError), requirements=["C", "W"])


def as_flat_adjoint(values: Any, size: int, what: str) -> NDArray[np.float64]:
    """Return an adjoint of `size` numbers, in whatever shape they come, as (size,).

    Examples
    --------
    >>> as_flat_adjoint([[1, 2]], 2, "the adjoint of the marginals")
    array([1., 2.])
    """
    array = as_kernel_floats(values, what)
    if array.size != size:
        raise WeightError(f"{what} has shape {array.shape}, which holds {array.size} numbers, not {size}")
    return array.reshape(-1)

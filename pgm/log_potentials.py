"""Log-potentials as people give them."""

import numpy as np
from numpy.typing import ArrayLike

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from pgm._warning import warn
from pgm.errors import PotentialError, PotentialWarning

__all__ = ["check_log_potentials"]


def check_log_potentials(name: str, values: ArrayLike, shape: tuple[int, ...], *, computed: bool = False) -> Floats:
    """Return log-potentials as a float64 array of a shape, or say what is wrong with them.

    Parameters
    ----------
    shape : (factors, …); without the first axis they are the same for all factors.  No other axis may be missing
    computed : whether they come from parameters, and not from a person who may have forgotten the logarithm

    Raises
    ------
    PotentialError
        If the shape does not fit, or a value is NaN or +inf.
    """
    array = np.array(as_floats(values, f"{name}: log-potentials", PotentialError), order="C")
    if array.shape != shape:
        if array.ndim < len(shape) - 1:
            raise PotentialError(
                f"{name}: log-potentials of shape {array.shape} do not fit {shape}: axes are missing; they are "
                f"{shape[1:]}, or that for each of {shape[0]} factors; if a factor for each variable was meant, give "
                f"the variables as [x]"
            )
        try:
            array = np.array(np.broadcast_to(array, shape), order="C")
        except ValueError:
            raise PotentialError(f"{name}: log-potentials of shape {array.shape} do not fit {shape}") from None
    if not array.max(initial=-np.inf) < np.inf:
        bad = np.isnan(array) | (array == np.inf)
        where = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), array.shape))
        raise PotentialError(
            f"{name}: log-potential {list(where)} is {array[where]}; log-potentials are finite numbers, "
            f"or -inf for what is impossible"
        )
    if not computed and _look_like_probabilities(array):
        warn(
            f"{name}: all log-potentials are between 0 and 1, and sum to 1: are they probabilities?  "
            f"If so, give np.log(…) of them",
            PotentialWarning,
        )
    return array


def _look_like_probabilities(array: Floats) -> bool:
    """Whether values that are not all alike are in (0, 1), and each factor's (or each row or column of it) sum to 1."""
    if array.ndim < 2 or not array.size or not 0.0 < array.flat[0] < 1.0:
        return False  # as most are
    if not (array.min() > 0.0 and array.max() < 1.0) or np.ptp(array) == 0.0:
        return False
    sums = (array.sum(axis=tuple(range(1, array.ndim))), array.sum(axis=-1), array.sum(axis=1))
    return any(bool((abs(total - 1.0) < 1e-6).all()) for total in sums)

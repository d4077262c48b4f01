"""What a restored state of `HashedAdaGrad` must hold, so that no kernel reads what is not there."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from autodiff.conversion import as_floats, as_integers
from autodiff.optimizers.errors import StateMismatchError

__all__ = ["HashedState", "check_hashed_state"]


@frozen(eq=False)
class HashedState:
    """The arrays of a state: weights (slots,), memory (slots, columns), touched, (steps, averaged_from), and rates."""

    weights: NDArray[np.float64]
    memory: NDArray[np.float64]
    touched: NDArray[np.int64]
    steps: NDArray[np.int64]
    starts: NDArray[np.int64]
    rates: NDArray[np.float64]


def check_hashed_state(state: Mapping[str, NDArray[Any]], slots: int, columns: int) -> HashedState:
    """Return the arrays of a state, or say what does not fit.

    Raises
    ------
    StateMismatchError
        If something has another type or shape, or a number that cannot be.
    """
    floats = {key: as_floats(state[key], f"the state's {key}", StateMismatchError) for key in _FLOATS}
    whole = {key: as_integers(state[key], f"the state's {key}", StateMismatchError) for key in _INTEGERS}
    found = HashedState(
        floats["weights"], floats["memory"], whole["touched"], whole["steps"], whole["starts"], floats["rates"]
    )
    if found.weights.shape != (slots,):
        raise StateMismatchError(f"the state has {found.weights.size} slots, and this {slots}")
    if found.memory.shape != (slots, columns):
        raise StateMismatchError(f"the state has a memory {found.memory.shape}; expected {(slots, columns)}")
    touched, starts, rates = found.touched, found.starts, found.rates
    if touched.ndim != 1 or (touched.size and not (touched.min() >= 0 and touched.max() < slots)):
        raise StateMismatchError(f"the state's touched slots must be a vector of numbers from 0 to {slots - 1}")
    if found.steps.shape != (2,) or not 0 <= found.steps[1] <= found.steps[0] < 1 << 53:
        raise StateMismatchError(f"the state's steps are {found.steps.tolist()}; expected (steps, averaged_from)")
    rising = starts.ndim == 1 and rates.shape == starts.shape and bool((np.diff(starts) > 0).all())
    if not rising or (starts.size and (starts[0] != 0 or starts[-1] >= max(found.steps[0], 1))):
        raise StateMismatchError("the state's starts must rise from 0 and stay below its steps, with a rate for each")
    finite = all((np.abs(array) < _LARGEST).all() for array in floats.values())
    if not finite or (rates < 0).any() or (found.steps[0] > 0 and not rates.size):
        raise StateMismatchError(
            "the state holds NaN, a huge number or a negative rate, or lacks the rates of its steps"
        )
    squares, paid = found.memory[:, 1], found.memory[:, 2]
    if (squares < 0).any() or (paid < 0).any() or (paid > found.steps[0]).any() or (paid != np.floor(paid)).any():
        raise StateMismatchError(
            f"the state's memory must have sums of squares, 0 or above, and numbers of paid steps from 0 to "
            f"{found.steps[0]}"
        )
    return found


# The square of the largest gradient is far below; what is above comes from no training.
_LARGEST = 1e250
_FLOATS, _INTEGERS = ("weights", "memory", "rates"), ("touched", "steps", "starts")

"""What a restored state must hold, so that no later step reads what is not there."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.conversion import as_floats, as_integers
from autodiff.optimizers.errors import StateMismatchError

__all__ = ["check_state"]


def check_state(
    state: Mapping[str, NDArray[Any]], memories: Mapping[str, dict[str, NDArray[Any]]]
) -> tuple[int, NDArray[np.float64], NDArray[np.int64]]:
    """Return the steps, the learning rates and their repeats; make the memories of parameters float64 and int64.

    >>> steps, rates, repeats = check_state({"steps": [3], "rates": [0.5], "repeats": [3]}, {})
    >>> steps, rates, repeats
    (3, array([0.5]), array([3]))

    Raises
    ------
    StateMismatchError
        If something has the wrong type or shape, or a number that cannot be.
    """
    steps = as_integers(state["steps"], "the state's steps", StateMismatchError)
    rates = as_floats(state["rates"], "the state's rates", StateMismatchError)
    repeats = as_integers(state["repeats"], "the state's repeats", StateMismatchError)
    if steps.size != 1 or not 0 <= steps.reshape(-1)[0] < np.iinfo(np.int32).max:
        raise StateMismatchError(f"the state's steps are {steps.tolist()}, but must be one number, 0 or above")
    count = int(steps.reshape(-1)[0])
    fits = rates.ndim == 1 and repeats.shape == rates.shape and bool((repeats > 0).all())
    if not fits or not np.isfinite(rates).all() or (rates < 0).any() or repeats.max(initial=0) > count:
        raise StateMismatchError(
            f"the state's rates {rates.shape} and repeats {repeats.shape} must be finite rates, 0 or above, and for "
            "each the number of steps that it was used"
        )
    if len(repeats) and int(repeats.sum()) > count:
        raise StateMismatchError(f"the state has rates of {int(repeats.sum())} steps, but only {count} steps")
    for name, memory in memories.items():
        _check_memory(name, memory, count)
    return count, rates, repeats


def _check_memory(name: str, memory: dict[str, NDArray[Any]], steps: int) -> None:
    where = f"the state of parameter {name!r}"
    if "shape" not in memory:
        raise StateMismatchError(f"{where} lacks its shape")
    shape = as_integers(memory["shape"], f"{where}: shape", StateMismatchError)
    if shape.ndim != 1 or (shape < 0).any():
        raise StateMismatchError(f"{where} has the shape {shape.tolist()}, which is none")
    rows = int(shape[0]) if len(shape) else 1
    full = tuple(shape.tolist()) or (1,)
    for entry, values in memory.items():
        if entry == "shape":
            continue
        whole = np.asarray(values).dtype.kind in "iu"
        convert = as_integers if whole and entry in ("paid", "touches") else as_floats
        array: NDArray[Any] = convert(values, f"{where}: {entry}", StateMismatchError)
        expected = {"paid": (rows,), "touches": (rows,) + (1,) * (len(full) - 1)}.get(entry, full)
        if array.shape != expected:
            raise StateMismatchError(f"{where}: {entry} has shape {array.shape}, not {expected}")
        if not np.isfinite(array).all():
            raise StateMismatchError(f"{where}: {entry} holds NaN or an infinity")
        if entry in ("paid", "touches"):
            if not whole:
                raise StateMismatchError(f"{where}: {entry} are no whole numbers")
            if array.size and (array.min() < 0 or array.max() > steps):
                raise StateMismatchError(f"{where}: {entry} must lie between 0 and the {steps} steps")
            array = array.astype(np.int32 if entry == "paid" else np.int64)
        memory[entry] = np.array(array, order="C")

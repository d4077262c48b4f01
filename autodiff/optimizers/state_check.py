"""Whether a saved state is one that an optimiser could have: arrays of the right names, dtypes, shapes and ranges."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.optimizers.errors import StateMismatchError

__all__ = ["check_memory", "check_steps"]


def check_steps(steps: NDArray[Any], rates: NDArray[Any], repeats: NDArray[Any]) -> None:
    """Raise StateMismatchError unless the counts are counts, and the rates rates.

    Parameters
    ----------
    steps : (1,) int64
    rates : (runs,) float64, the learning rates of past steps
    repeats : (runs,) int64, for how many steps each held

    Examples
    --------
    >>> check_steps(np.array([-3]), np.zeros(0), np.zeros(0, dtype=np.int64))
    Traceback (most recent call last):
    autodiff.optimizers.errors.StateMismatchError: the state is damaged: steps is int64 (1,) [-3], expected ...
    """
    _expect("steps", steps, "int64", (1,), bool((steps >= 0).all()), "a count")
    _expect("rates", rates, "float64", (len(repeats),), bool((np.isfinite(rates) & (rates >= 0)).all()), "finite, ≥ 0")
    whole = bool((repeats > 0).all() and (not len(repeats) or repeats.sum() == steps.sum()))
    _expect("repeats", repeats, "int64", (len(rates),), whole, "counts that add up to steps")


def check_memory(name: str, memory: Mapping[str, NDArray[Any]], like: Mapping[str, NDArray[Any]], steps: int) -> None:
    """Raise StateMismatchError unless what is remembered of a parameter has the entries of `like`, which has no rows.

    Each entry has a row for each row of the parameter; "shape" is the parameter's shape, and "paid" (where weights
    shrink) the number of steps for which a row has done so.
    """
    if set(memory) != {"shape", *like}:
        raise StateMismatchError(
            f"the state is damaged: of parameter {name!r} it has {sorted(memory)}, expected {sorted(['shape', *like])}"
        )
    shape = memory["shape"]
    _expect(f"{name}/shape", shape, "int64", (shape.size,), bool((shape >= 0).all()), "lengths")
    rows = int(shape[0]) if shape.size else 1
    for entry, empty in like.items():
        value = memory[entry]
        fine = bool(np.isfinite(value).all()) if entry != "paid" else bool(((value >= 0) & (value <= steps)).all())
        _expect(f"{name}/{entry}", value, str(empty.dtype), (rows, *empty.shape[1:]), fine, "what steps leave behind")


def _expect(name: str, array: NDArray[Any], dtype: str, shape: tuple[int, ...], fine: bool, what: str) -> None:
    if str(array.dtype) != dtype or array.shape != shape or not fine:
        shown = f" {array.tolist()}" if array.size == 1 else ""
        raise StateMismatchError(
            f"the state is damaged: {name} is {array.dtype} {array.shape}{shown}, expected {dtype} {shape}, {what}"
        )

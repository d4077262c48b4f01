"""Whether a saved state is one that an optimiser could have: arrays of the right names, dtypes, shapes and ranges."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.files import ArraySpec
from autodiff.optimizers.errors import StateMismatchError

__all__ = ["check_array", "check_memory", "check_steps"]

_MOST_STEPS = np.iinfo(np.int32).max


def check_steps(steps: NDArray[Any], rates: NDArray[Any], repeats: NDArray[Any]) -> None:
    """Raise StateMismatchError unless the counts are counts, and the rates rates.

    Parameters
    ----------
    steps : (2,) int64, the number of steps, and the one from which on weights are averaged
    rates : (runs,) float64, the learning rates of past steps
    repeats : (runs,) int64, for how many steps each held

    Examples
    --------
    >>> check_steps(np.array([-3, 0]), np.zeros(0), np.zeros(0, dtype=np.int64))
    Traceback (most recent call last):
    autodiff.optimizers.errors.StateMismatchError: the state is damaged: steps is [-3, 0], expected ...
    """
    runs = rates.size
    counts = "the number of steps, and that of steps before the average"
    _expect("steps", steps, ArraySpec("int64", (2,)), lambda s: 0 <= s[1] <= s[0] < _MOST_STEPS, counts)
    _expect("rates", rates, ArraySpec("float64", (None,)), lambda rate: np.isfinite(rate) & (rate >= 0), "finite, ≥ 0")
    total = [0, int(steps[0])] if runs == 0 else [int(steps[0])]  # without shrinkage, none are remembered
    whole = "counts that add up to steps"
    _expect("repeats", repeats, ArraySpec("int64", (runs,)), lambda run: (run > 0) & (run <= total[-1]), whole)
    if int(repeats.sum()) not in total:
        raise StateMismatchError(f"the state is damaged: repeats add up to {repeats.sum()}, expected {whole}")


def check_memory(
    name: str, memory: Mapping[str, NDArray[Any]], specs: Mapping[str, ArraySpec], steps: int, squares: Collection[str]
) -> None:
    """Raise StateMismatchError unless what is remembered of a parameter is what the optimiser remembers.

    Parameters
    ----------
    name : of the parameter
    memory, specs : arrays, and what they must be; whole numbers count steps
    steps : taken so far
    squares : the entries that are sums of squares
    """
    for entry, spec in specs.items():
        array = memory[entry]
        check_array(f"{name}/{entry}", array, spec)
        if array.dtype.kind != "f":
            fine = (array >= 0) & (array <= steps)
        elif entry in squares:
            fine = np.isfinite(array) & (array >= 0)
        else:
            fine = np.isfinite(array)
        if not fine.all():
            raise StateMismatchError(
                f"the state is damaged: {name}/{entry} has {array[~fine].flat[0]}, which no steps leave behind"
            )


def check_array(name: str, array: NDArray[Any], spec: ArraySpec) -> None:
    """Raise StateMismatchError unless an array of a state is of this dtype and shape.

    >>> check_array("w/value", np.zeros(3), ArraySpec("float64", (None,)))
    """
    if not spec.fits(str(array.dtype), array.shape):
        raise StateMismatchError(f"the state is damaged: {name} is {array.dtype} {array.shape}, expected {spec}")


def _expect(name: str, array: NDArray[Any], spec: ArraySpec, fine: Callable[[NDArray[Any]], Any], what: str) -> None:
    check_array(name, array, spec)
    if not np.all(fine(array)):
        shown = array.tolist() if array.size <= 2 else f"{array.dtype} {array.shape}"
        raise StateMismatchError(f"the state is damaged: {name} is {shown}, expected {what}")

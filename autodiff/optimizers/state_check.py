"""Whether a saved state is one that an optimiser could have: arrays of the right names, dtypes, shapes and ranges."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.optimizers.errors import StateMismatchError

__all__ = ["check_memory", "check_steps"]

_MOST_STEPS = np.iinfo(np.int32).max


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
    runs = rates.size
    _expect("steps", steps, "int64", (1,), lambda count: (count >= 0) & (count < _MOST_STEPS), "a count")
    _expect("rates", rates, "float64", (runs,), lambda rate: np.isfinite(rate) & (rate >= 0), "finite, ≥ 0")
    total = [0, int(steps[0])] if runs == 0 else [int(steps[0])]  # without shrinkage, none are remembered
    whole = "counts that add up to steps"
    _expect("repeats", repeats, "int64", (runs,), lambda run: (run > 0) & (run <= total[-1]), whole)
    if int(repeats.sum()) not in total:
        raise StateMismatchError(f"the state is damaged: repeats add up to {repeats.sum()}, expected {whole}")


def check_memory(
    name: str,
    memory: Mapping[str, NDArray[Any]],
    empty_memory: Callable[[tuple[int, ...]], Mapping[str, NDArray[Any]]],
    steps: int,
) -> None:
    """Raise StateMismatchError unless what is remembered of a parameter is what the optimiser remembers.

    Each entry has a row for each row of the parameter; "shape" is the parameter's shape.  "paid" (where weights shrink)
    and other whole numbers count steps.

    Parameters
    ----------
    empty_memory : returns what is remembered of a parameter of some shape, were it without rows
    """
    if "shape" not in memory:
        raise StateMismatchError(f"the state is damaged: of parameter {name!r} it lacks the shape")
    shape = memory["shape"]
    _expect(f"{name}/shape", shape, "int64", (shape.size,), lambda length: (length >= 0) & (length < 2**48), "lengths")
    like = empty_memory(tuple(shape.tolist()))
    if set(memory) != {"shape", *like}:
        raise StateMismatchError(
            f"the state is damaged: of parameter {name!r} it has {sorted(memory)}, expected {sorted(['shape', *like])}"
        )
    rows = int(shape[0]) if shape.size else 1
    for entry, empty in like.items():
        fine = np.isfinite if empty.dtype.kind == "f" else lambda count: (count >= 0) & (count <= steps)
        expected = (rows, *empty.shape[1:])
        _expect(f"{name}/{entry}", memory[entry], str(empty.dtype), expected, fine, "what steps leave behind")


def _expect(
    name: str, array: NDArray[Any], dtype: str, shape: tuple[int, ...], fine: Callable[[Any], Any], what: str
) -> None:
    if str(array.dtype) != dtype or array.shape != shape or not fine(array).all():
        shown = f" {array.tolist()}" if array.size == 1 else ""
        raise StateMismatchError(
            f"the state is damaged: {name} is {array.dtype} {array.shape}{shown}, expected {dtype} {shape}, {what}"
        )

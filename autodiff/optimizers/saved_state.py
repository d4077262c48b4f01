"""The state of a store as arrays by name, and back."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.files import ArraySpec
from autodiff.optimizers.errors import StateMismatchError
from autodiff.optimizers.parameter_state import Memory, ParameterState
from autodiff.optimizers.rate_history import RateHistory
from autodiff.optimizers.settings import check_description, describe
from autodiff.optimizers.state_check import check_array, check_memory, check_steps
from autodiff.optimizers.timeline import Timeline

if TYPE_CHECKING:
    from autodiff.optimizers.optimizer import Optimizer

__all__ = ["SavedState", "read_state", "state_arrays", "state_specs"]

_GENERAL = {
    "description": ArraySpec("uint8", (None,)),
    "steps": ArraySpec("int64", (2,)),
    "rates": ArraySpec("float64", (None,)),
    "repeats": ArraySpec("int64", (None,)),
}
_WEIGHTS = "value"


@frozen(eq=False)
class SavedState:
    """What a state says: steps, rates, and of each parameter its weights and memory."""

    steps: int
    averaged_from: int
    rates: RateHistory
    weights: dict[str, NDArray[np.float64]] = field(repr=False)
    memories: dict[str, Memory] = field(repr=False)


def state_arrays(
    optimizer: "Optimizer",
    timeline: Timeline,
    weights: Mapping[str, NDArray[np.float64]],
    states: Mapping[str, ParameterState],
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a state."""
    arrays: dict[str, NDArray[Any]] = {
        "description": np.frombuffer(describe(optimizer, timeline.average).encode(), dtype=np.uint8),
        "steps": np.array([timeline.steps, timeline.averaged_from], dtype=np.int64),
        **timeline.rates.arrays(),
    }
    for name, state in states.items():
        for entry, array in {_WEIGHTS: weights[name], **state.memory()}.items():
            arrays[_key(name, entry)] = array
    return arrays


def state_specs(states: Mapping[str, ParameterState]) -> dict[str, ArraySpec]:
    """Return what the arrays of a state must be."""
    own = {_key(name, entry): spec for name, state in states.items() for entry, spec in _specs_of(state).items()}
    return {**_GENERAL, **own}


def read_state(
    optimizer: "Optimizer", average: bool, states: Mapping[str, ParameterState], state: Mapping[str, NDArray[Any]]
) -> SavedState:
    """Return what a state says, if it is one of this optimiser and these parameters.

    Raises
    ------
    StateMismatchError
        If not; the message says what differs.
    """
    specs = state_specs(states)
    missing = sorted(specs.keys() - state.keys())
    if _GENERAL.keys() & set(missing):
        raise StateMismatchError(f"the state lacks {missing}: pass all that ParameterStore.state() returned")
    check_array("description", np.asarray(state["description"]), _GENERAL["description"])
    check_description(optimizer, average, np.asarray(state["description"]).tobytes().decode(errors="replace"))
    if missing or state.keys() - specs.keys():
        more = sorted(state.keys() - specs.keys())
        raise StateMismatchError(
            f"the state is not of these parameters, or damaged: it lacks {missing}, and has {more} that are not theirs"
        )
    steps, rates, repeats = (np.asarray(state[name]) for name in ("steps", "rates", "repeats"))
    check_steps(steps, rates, repeats)
    memories: dict[str, Memory] = {}
    for name, own in states.items():
        memory = {entry: np.asarray(state[_key(name, entry)]) for entry in _specs_of(own)}
        check_memory(name, memory, _specs_of(own), int(steps[0]), optimizer.squares)
        memories[name] = memory
    weights = {name: memory.pop(_WEIGHTS) for name, memory in memories.items()}
    taken, before = steps.tolist()
    return SavedState(taken, before, RateHistory.from_arrays(rates, repeats), weights, memories)


def _specs_of(state: ParameterState) -> dict[str, ArraySpec]:
    return {_WEIGHTS: ArraySpec("float64", state.shape), **state.specs()}


def _key(name: str, entry: str) -> str:
    return f"parameter/{name}/{entry}"

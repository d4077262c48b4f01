"""What all stochastic optimisers share: steps in place, shrinkage that is owed and paid later, state."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import ArrayLike, NDArray

from autodiff.optimizers.errors import DivergenceError, GradientError, OptimizerError, StateMismatchError
from autodiff.optimizers.gradients import (
    Gradient,
    RowGradient,
    as_rows,
    check_gradients_known,
    check_parameters,
    row_gradient,
    row_indices,
)
from autodiff.optimizers.rate_history import RateHistory
from autodiff.optimizers.schedules import Schedule, as_schedule
from autodiff.optimizers.settings import check_description, describe, settings_of
from autodiff.optimizers.state_check import check_memory, check_steps

__all__ = ["Optimizer"]

Memory = dict[str, NDArray[Any]]
_PREFIX = "parameter/"
_GENERAL = {"description", "steps", "rates", "repeats"}
# Numbers worked on at a time: temporaries stay in the cache, and below the size from which the C library asks
# the operating system for every one of them and gives it back, which costs more than the arithmetic.
_CHUNK = 1 << 13


@define(eq=False, slots=False)
class Optimizer(ABC):
    """Updates parameters in place, one call of `step` for each gradient, to make a loss smaller.

    A subclass writes four pure functions on rows: `_initial`, `_update`, `_log_shrinkage` and `_check_rate`.
    Which rows those are, repeated indices, laziness, checks and saving are settled here.

    **Untouched rows.** A gradient may be dense or a `SparseAdjoint`, of which a step costs only the touched
    rows.  A missing (or None) gradient touches no row.  Where the optimiser shrinks weights in every step
    (`l1`, `l2`, `weight_decay`), an untouched row *owes* its shrinkage and pays it, exactly, when it is next
    touched or caught up:

    - before a forward pass, `catch_up(parameters, name, indices)` for the rows that it will read;
    - after the last step, and before weights are saved or evaluated, `finish(parameters)` for all of them.

    To freeze a parameter, leave it out of `parameters`.

    Parameters
    ----------
    learning_rate : a number or a `Schedule`
    """

    learning_rate: Schedule = field(converter=as_schedule)
    _steps: int = field(default=0, init=False, repr=False)
    _memories: dict[str, Memory] = field(factory=dict, init=False, repr=False)
    _history: RateHistory = field(factory=RateHistory, init=False, repr=False)
    _shrinks: bool = field(default=False, init=False, repr=False)
    _dense_only: bool = field(default=False, init=False, repr=False)

    @abstractmethod
    def _initial(self, weights: NDArray[np.float64]) -> Memory:
        """Return what is remembered of a parameter before its first step: arrays with as many rows."""

    @abstractmethod
    def _update(
        self, weights: NDArray[np.float64], gradient: NDArray[np.float64], memory: Memory, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        """Return the new weights and memory of some rows, given their old ones, as new arrays."""

    @abstractmethod
    def _log_shrinkage(self, memory: Memory, since: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
        """Return the log of the factor by which rows owe to shrink for the steps from `since` on."""

    def _shrunk(self, weights: NDArray[np.float64], memory: Memory, since: NDArray[Any]) -> NDArray[np.float64]:
        """Return rows without the shrinkage that they owe for the steps from `since` on; ℓ1 overrides this."""
        return np.asarray(weights * np.exp(self._log_shrinkage(memory, since, weights.ndim)))

    @abstractmethod
    def _check_rate(self, rate: float) -> None:
        """Raise an error if no step can be taken with this learning rate."""

    @property
    def steps(self) -> int:
        """The number of steps taken so far."""
        return self._steps

    def step(self, parameters: Mapping[str, NDArray[np.float64]], gradients: Mapping[str, Gradient]) -> None:
        """Take one step: update every parameter in place.

        Parameters
        ----------
        parameters : float64 arrays by name; the same names and shapes in all steps
        gradients : for each name a dense array of the same shape, a `SparseAdjoint`, or None

        Raises
        ------
        GradientError, NonFiniteGradientError, DivergenceError
            In each case before any parameter has changed (but for debts that were paid).
        """
        check_parameters(parameters)
        check_gradients_known(parameters, gradients)
        prepared = {name: row_gradient(name, array, gradients.get(name)) for name, array in parameters.items()}
        rate = self._rate()
        changes = []
        for name, gradient in prepared.items():
            memory = self._memory(name, parameters[name])
            weights = as_rows(parameters[name])
            if self._dense_only and not isinstance(gradient.rows, slice):
                raise GradientError(
                    f"{type(self).__name__} with these settings needs a dense gradient in every step, "
                    f"but that of {name!r} is sparse or missing: pass gradient.dense() or zeros"
                    ", or switch momentum off"
                )
            if self._shrinks:
                self._pay(weights, memory, gradient.rows)
            for part in map(gradient.part, _parts(gradient.values)):
                changes.append((weights, memory, part.rows, *self._changed(name, weights, memory, part, rate)))
        for weights, memory, rows, new_weights, new_memory in changes:
            weights[rows] = new_weights
            for key, value in new_memory.items():
                memory[key][rows] = value
            if self._shrinks:
                memory["paid"][rows] = self._steps + 1
        self._steps += 1
        if self._shrinks:
            self._history.append(rate)

    def catch_up(
        self,
        parameters: Mapping[str, NDArray[np.float64]],
        name: str | None = None,
        indices: ArrayLike | None = None,
    ) -> None:
        """Pay the shrinkage that untouched rows owe: of some rows, of one parameter, or of all.

        Parameters
        ----------
        parameters : as for `step`
        name : the parameter; all of them if None
        indices : (rows,) of that parameter, repetitions allowed; all rows if None
        """
        check_parameters(parameters)
        if name is not None and name not in parameters:
            raise OptimizerError(f"no parameter {name!r} to catch up; the parameters are {sorted(parameters)}")
        if indices is not None and name is None:
            raise OptimizerError("catch_up was given indices but no name: say of which parameter they are")
        if not self._shrinks:
            return
        for each in [name] if name is not None else list(parameters):
            if each in self._memories:
                memory, weights = self._memory(each, parameters[each]), as_rows(parameters[each])
                self._pay(weights, memory, slice(None) if indices is None else row_indices(each, weights, indices))

    def finish(self, parameters: Mapping[str, NDArray[np.float64]]) -> None:
        """Pay all that is owed: call it after the last step, and before saving or evaluating weights."""
        self.catch_up(parameters)

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain values that go into JSON.

        >>> from autodiff.optimizers import SGD
        >>> SGD(0.5).settings()["learning_rate"]
        {'class': 'Constant', 'rate': 0.5}
        """
        return settings_of(self)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return a copy of everything that later steps depend on, as arrays by name."""
        return {key: np.array(value) for key, value in self.arrays().items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a `state`: the same parameters and gradients then give the same bytes.

        Raises
        ------
        StateMismatchError
            If the state comes from another class or other settings, lacks something, or is damaged; nothing changes.
        """
        missing = _GENERAL - set(state)
        if missing:
            raise StateMismatchError(f"the state lacks {sorted(missing)}: pass all that Optimizer.state() returned")
        check_description(self, bytes(np.asarray(state["description"], dtype=np.uint8)).decode(errors="replace"))
        check_steps(*(np.asarray(state[name]) for name in ("steps", "rates", "repeats")))
        memories: dict[str, Memory] = {}
        for key, value in state.items():
            if key.startswith(_PREFIX):
                name, entry = key.removeprefix(_PREFIX).rsplit("/", 1)
                memories.setdefault(name, {})[entry] = np.array(value)
            elif key not in _GENERAL:
                raise StateMismatchError(f"the state has {key!r}, which no state of {type(self).__name__} has")
        steps = int(np.asarray(state["steps"]).item())
        for name, memory in memories.items():
            check_memory(name, memory, self._empty_memory, steps)
        self._steps = steps
        self._history = RateHistory.from_arrays(np.asarray(state["rates"]), np.asarray(state["repeats"]))
        self._memories = memories

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state without copying it."""
        arrays: dict[str, NDArray[Any]] = {
            "description": np.frombuffer(describe(self).encode(), dtype=np.uint8),
            "steps": np.array([self._steps], dtype=np.int64),
            **self._history.arrays(),
        }
        for name, memory in self._memories.items():
            arrays.update({f"{_PREFIX}{name}/{entry}": value for entry, value in memory.items()})
        return arrays

    def _rate(self) -> float:
        rate = float(self.learning_rate(self._steps))
        if not (np.isfinite(rate) and rate >= 0):
            raise OptimizerError(
                f"{self.learning_rate} gives the learning rate {rate} at step {self._steps}: it must be finite and ≥ 0"
            )
        self._check_rate(rate)
        return rate

    def _memory(self, name: str, parameter: NDArray[np.float64]) -> Memory:
        """Return what is remembered of a parameter, made at first sight."""
        memory = self._memories.get(name)
        if memory is None:
            memory = {"shape": np.array(parameter.shape, dtype=np.int64), **self._initial(as_rows(parameter))}
            if self._shrinks:
                # The number of steps whose shrinkage each row has paid; nothing is owed for steps before
                # first sight.
                memory["paid"] = np.full(len(as_rows(parameter)), self._steps, dtype=np.int32)
            self._memories[name] = memory
        elif tuple(memory["shape"]) != parameter.shape:
            raise OptimizerError(
                f"parameter {name!r} has shape {parameter.shape}, but had "
                f"{tuple(memory['shape'].tolist())} before: a name stands for one array; use a fresh "
                "optimiser or another name"
            )
        return memory

    def _empty_memory(self, shape: tuple[int, ...]) -> Memory:
        """Return what would be remembered of a parameter of this shape if it had no rows."""
        memory = self._initial(np.zeros((0, *shape[1:])))
        return {**memory, "paid": np.zeros(0, dtype=np.int32)} if self._shrinks else memory

    def _row_memory(self, memory: Memory, rows: slice | NDArray[np.int64]) -> Memory:
        return {key: value[rows] for key, value in memory.items() if key not in ("shape", "paid")}

    def _changed(
        self, name: str, weights: NDArray[np.float64], memory: Memory, gradient: RowGradient, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        rows = gradient.rows
        with np.errstate(over="ignore", invalid="ignore"):
            new = self._update(weights[rows], gradient.values, self._row_memory(memory, rows), rate)
        if not all(np.isfinite(array).all() for array in (new[0], *new[1].values())):
            raise DivergenceError(
                f"step {self._steps} would make parameter {name!r} or its state non-finite (learning rate "
                f"{rate:g}, largest |gradient| {np.abs(gradient.values).max():g}); nothing was updated: "
                "lower the learning rate"
            )
        return new

    def _pay(self, weights: NDArray[np.float64], memory: Memory, rows: slice | NDArray[np.int64]) -> None:
        """Pay what `rows` owe: all rows, or some indices, repetitions allowed."""
        if isinstance(rows, slice):
            for part in _parts(weights):
                owing = memory["paid"][part] < self._steps
                # Zeros stay zeros: most of a hashed weight vector may never have been used.
                owing &= (weights[part] != 0).any(axis=tuple(range(1, weights.ndim)))
                self._pay_rows(weights, memory, part.start + np.flatnonzero(owing))
            memory["paid"][:] = self._steps
        else:
            owing_rows = rows[memory["paid"][rows] < self._steps]
            # Ascending rows are several times faster to fetch from a large array.
            owing_rows.sort()
            for part in _parts(owing_rows, weights):
                self._pay_rows(weights, memory, owing_rows[part])

    def _pay_rows(self, weights: NDArray[np.float64], memory: Memory, rows: NDArray[np.int64]) -> None:
        if rows.size:
            memory_rows = self._row_memory(memory, rows)
            weights[rows] = self._shrunk(weights[rows], memory_rows, memory["paid"][rows])
            memory["paid"][rows] = self._steps


def _parts(rows: NDArray[Any], like: NDArray[np.float64] | None = None) -> list[slice]:
    """Return slices that cover all `rows`, each of about `_CHUNK` numbers of an array `like`."""
    width = max(int(np.prod((rows if like is None else like).shape[1:])), 1)
    size = max(_CHUNK // width, 1)
    return [slice(start, start + size) for start in range(0, len(rows), size)]

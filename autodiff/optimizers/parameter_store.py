"""What a training loop talks to: gradients in, steps, averages, catching up, and all of it in and out of files."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.arrays import Adjoint
from autodiff.conversion import as_floats, as_number
from autodiff.files import ArraySpec
from autodiff.optimizers.errors import GradientError, OptimizerError
from autodiff.optimizers.gradient_buffer import GradientBuffer
from autodiff.optimizers.gradients import row_indices
from autodiff.optimizers.parameter_state import ParameterState
from autodiff.optimizers.saved_state import read_state, state_arrays, state_specs
from autodiff.optimizers.step import Step
from autodiff.optimizers.timeline import Timeline
from autodiff.parameter import Parameter

if TYPE_CHECKING:
    from autodiff.optimizers.optimizer import Optimizer

__all__ = ["ParameterStore"]

Arrays = dict[str, NDArray[np.float64]]


class ParameterStore:
    """Parameters, and what an optimiser remembers of them; made by `Optimizer.store`.

    A training loop, for each batch: `catch_up` with the rows that will be read, `add` the gradient of each example,
    `step(1 / batch size)`, so that the step is of the mean loss.  After the last step, and before weights are evaluated
    or saved: `finish`, or `using(averaged())`.

    The steps change the values of the parameters in place, and their versions.

    Attributes
    ----------
    optimizer, parameters : as given
    average : whether the mean of the weights after each step is kept

    Examples
    --------
    >>> from autodiff.optimizers import AdaGrad
    >>> weights = Parameter("weights", np.ones(3))
    >>> store = AdaGrad(1.0, l2=1.0).store({"weights": weights})
    >>> for _ in range(2):
    ...     store.add("weights", np.array([1.0, 0.0, 0.0]))
    ...     store.add("weights", np.array([3.0, 0.0, 0.0]))
    ...     store.step(1 / 2)
    >>> weights.value.round(3)
    array([-0.216,  0.25 ,  0.25 ])
    """

    def __init__(self, optimizer: "Optimizer", parameters: Mapping[str, Parameter], *, average: bool = False) -> None:
        self.optimizer, self.average = optimizer, average
        self.parameters: dict[str, Parameter] = dict(parameters)
        shrinks = optimizer.shrinkage(optimizer.initial_memory(np.zeros(0))) is not None
        self._timeline = Timeline(shrinks, average)
        self._states: dict[str, ParameterState] = {}
        self._replaced = False
        for name, parameter in self.parameters.items():
            if not isinstance(parameter, Parameter):
                raise OptimizerError(f"parameter {name!r} is {type(parameter).__name__}, but must be a Parameter")
            self._remember(name, parameter)
        if len({id(parameter) for parameter in self.parameters.values()}) < len(self.parameters):
            raise OptimizerError(f"of the parameters {sorted(self.parameters)} two are the same: give it one name")

    @property
    def steps(self) -> int:
        """The number of steps taken so far."""
        return self._timeline.steps

    @property
    def shrinks(self) -> bool:
        """Whether rows shrink in steps that do not touch them: if not, there is nothing to catch up with."""
        return self._timeline.shrinks

    def wants(self, name: str) -> bool:
        """Tell whether it is one of the parameters.

        >>> from autodiff.optimizers import SGD
        >>> SGD(0.5).store({"weights": Parameter("weights", [1.0])}).wants("bias")
        False
        """
        return name in self.parameters

    def add(self, name: str, adjoint: Adjoint) -> None:
        """Add to the gradient of the coming step, a dense array or a `SparseAdjoint`.

        Raises
        ------
        GradientError
            If there is no such parameter, or the gradient does not fit it or is not finite.
        """
        self._state(name).gradient.add(adjoint)

    def add_all(self, adjoints: Mapping[str, Adjoint | None]) -> None:
        """Add to the gradients of some parameters; None is passed over."""
        for name, adjoint in adjoints.items():
            if adjoint is not None:
                self.add(name, adjoint)

    def buffer(self, name: str) -> GradientBuffer:
        """Return where compiled loops add the gradient of a `HashedParameter`, the same one in all steps."""
        return self._state(name).gradient.buffer

    def clear(self) -> None:
        """Forget what was added since the last step."""
        for name in self.parameters:
            self._states[name].gradient.clear()

    def step(self, scale: float = 1.0, *, loss: float | None = None) -> None:
        """Take one step with `scale` × the gradient that was added since the last one.

        Parameters
        ----------
        scale : 1 / batch size makes it the gradient of the mean loss
        loss : the mean loss of the batch, for rules that ask for it

        Raises
        ------
        GradientError, DivergenceError
            Before any parameter has changed (but for shrinkage that was caught up with); what was added stays.
        """
        self._check_live("a step")
        scale = as_number(scale, f"step {self.steps}: the scale", OptimizerError)
        if loss is not None:
            loss = as_number(loss, f"step {self.steps}: the loss", OptimizerError)
        states = {name: self._states[name] for name in self.parameters}
        rate = self._rate(Step(self.steps, loss, lambda: scale**2 * sum(s.squared_norm() for s in states.values())))
        weights = self._weights()
        try:
            for carry_out in [state.prepare(weights[name], rate, scale) for name, state in states.items()]:
                carry_out()
            self._timeline.advance(rate)
        finally:
            self._changed()
        self.clear()

    def catch_up(self, reads: Mapping[str, ArrayLike | None] | None = None) -> None:
        """Shrink rows by the steps that did not touch them, exactly, before they are read.

        Parameters
        ----------
        reads : the rows by name, repetitions allowed, None for all rows of a parameter; None for all parameters
        """
        wanted = dict.fromkeys(self.parameters) if reads is None else reads
        for name in wanted:
            self._state(name)
        if not self.shrinks:
            return
        self._check_live("catching up")
        weights = self._weights()
        for name, rows in wanted.items():
            count = weights[name].shape[0] if weights[name].ndim else 1
            self._states[name].catch_up(weights[name], None if rows is None else row_indices(name, count, rows))
            self.parameters[name].changed()

    def finish(self) -> None:
        """Catch up with all that is missing: after the last step, and before weights are evaluated or saved."""
        self.catch_up()

    def averaged(self) -> Arrays:
        """Return the mean of the weights after each step so far, or since `restart_average`; nothing changes.

        Without a step, the mean is the weights as they are.
        """
        self._check_averages()
        weights = self._weights()
        if self._timeline.averaged_from == self.steps:
            return {name: array.copy() for name, array in weights.items()}
        return {name: self._states[name].averaged(array) for name, array in weights.items()}

    def restart_average(self) -> None:
        """Let `averaged` count from the next step on."""
        self._check_averages()
        self.finish()
        for state in self._states.values():
            state.restart_average()
        self._timeline.averaged_from = self.steps

    @contextmanager
    def using(self, arrays: Mapping[str, ArrayLike]) -> Iterator[None]:
        """Put other values into some parameters for a while, and the live ones back afterwards, whatever happens.

        Meanwhile there are no steps.

        Examples
        --------
        >>> from autodiff.optimizers import SGD
        >>> weights = Parameter("weights", [1.0, 2.0])
        >>> store = SGD(0.5).store({"weights": weights})
        >>> with store.using({"weights": [5.0, 6.0]}):
        ...     weights.value.tolist()
        [5.0, 6.0]
        >>> weights.value.tolist()
        [1.0, 2.0]
        """
        self._check_live("using other values")
        weights = self._weights()
        others = {}
        for name, value in arrays.items():
            shape = weights[self._state(name).name].shape
            others[name] = as_floats(value, f"the value of {name!r}", OptimizerError, shape=shape)
        live = {name: weights[name].copy() for name in others}
        self._replaced = True
        try:
            self._put(others)
            yield
        finally:
            try:
                self._put(live)
            except BaseException:  # an interrupt in between
                self._put(live)
                raise
            finally:
                self._replaced = False

    def state(self) -> dict[str, NDArray[Any]]:
        """Return a copy of all that later steps depend on, the weights included, as arrays by name.

        Raises
        ------
        OptimizerError
            Between `add` and `step`: what was added is no part of a state.
        """
        return {key: np.array(array) for key, array in self.arrays().items()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state without copying it, to be written or copied before the next step."""
        self._check_live("taking the state")
        added = [name for name in self.parameters if not self._states[name].gradient.is_empty]
        if added:
            raise OptimizerError(
                f"the gradient of {added[0]!r} was added to, and that is no part of a state: take the step first, or "
                "clear()"
            )
        return state_arrays(self.optimizer, self._timeline, self._weights(), self._states)

    def specs(self) -> dict[str, ArraySpec]:
        """Return what each array of a `state` must be, so that a reader of files can tell before it reads them."""
        return state_specs(self._states)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a `state`: the same gradients then give the same bytes.  What was added is forgotten.

        Raises
        ------
        StateMismatchError
            If the state comes from another class, other settings or other parameters, lacks something, or is damaged;
            nothing changes.
        """
        self._check_live("restoring a state")
        weights = self._weights()
        saved = read_state(self.optimizer, self.average, self._states, state)
        self._timeline.steps, self._timeline.averaged_from = saved.steps, saved.averaged_from
        self._timeline.rates = saved.rates
        for name, own in self._states.items():
            own.gradient.clear()
            own.remember(saved.memories[name])
            weights[name][...] = saved.weights[name]
        self._changed()

    def _remember(self, name: str, parameter: Parameter) -> None:
        """Make room for what is remembered of a parameter at first sight."""
        if name not in self._states:
            state = self.optimizer.state_of(name, parameter, self._timeline)
            state.check(parameter.read())
            self._states[name] = state
        else:
            self._states[name].check(parameter.read())

    def _state(self, name: str) -> ParameterState:
        if name not in self.parameters:
            raise GradientError(f"there is no parameter {name!r}; the parameters are {sorted(self.parameters)}")
        return self._states[name]

    def _weights(self) -> Arrays:
        """Return the live arrays, checked: somebody may have given a parameter another one."""
        weights = {name: parameter.read() for name, parameter in self.parameters.items()}
        for name, array in weights.items():
            self._states[name].check(array)
        return weights

    def _rate(self, step: Step) -> float:
        rate = self.optimizer.rate(step)
        if not (np.isfinite(rate) and rate >= 0):
            raise OptimizerError(
                f"{self.optimizer} gives the learning rate {rate} at step {self.steps}: it must be finite and ≥ 0"
            )
        return float(rate)

    def _put(self, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        for name, array in arrays.items():
            self.parameters[name].read()[...] = array
            self.parameters[name].changed()

    def _changed(self) -> None:
        for parameter in self.parameters.values():
            parameter.changed()

    def _check_live(self, what: str) -> None:
        if self._replaced:
            raise OptimizerError(f"{what} is not possible inside `using`, which has put other values in place")

    def _check_averages(self) -> None:
        self._check_live("the average")
        if not self.average:
            raise OptimizerError("no average is kept: make the store with average=True")

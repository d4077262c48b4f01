"""What all stochastic optimisers share: settings, a rule on rows, and how it is put to use."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import define, field
from numpy.typing import ArrayLike, NDArray

from autodiff.optimizers.array_store import ArrayStore
from autodiff.optimizers.gradient_buffer import GradientBuffer
from autodiff.optimizers.gradient_sum import DenseGradientSum, HashedGradientSum
from autodiff.optimizers.gradients import Gradient
from autodiff.optimizers.parameter_state import Memory, ParameterState
from autodiff.optimizers.parameter_store import ParameterStore
from autodiff.optimizers.row_state import RowState
from autodiff.optimizers.settings import settings_of
from autodiff.optimizers.shrinkage import Shrinkage
from autodiff.optimizers.step import Step
from autodiff.optimizers.timeline import Timeline
from autodiff.parameter import Parameter

__all__ = ["Optimizer"]


@define(eq=False, slots=False)
class Optimizer(ABC):
    """What a step does to parameters, to make a loss smaller: its settings, and a rule on rows.

    A rule is `rate`, `initial_memory`, `update` and `shrinkage`: pure functions of the settings and of what they are
    given.  Which rows those are, repeated indices, catching up, averages, checks and saving are the same for all, and
    found elsewhere: in the `ParameterStore` that `store` makes.  An optimiser can make any number of them.

    Where there is nothing to average, save or put aside, `step`, `catch_up` and `finish` do the same for plain arrays:
    `step(parameters, gradients)`.  The optimiser then remembers these arrays by their names.

    **Untouched rows.** A gradient may be dense or a `SparseAdjoint`, of which a step costs only the touched
    rows.  A missing (or None) gradient touches no row.  Where the optimiser shrinks weights in every step
    (`l1`, `l2`, `weight_decay`), the shrinkage of an untouched row is caught up with, exactly, when it is next touched
    or somebody asks for it:

    - before a forward pass, `catch_up` for the rows that it will read;
    - after the last step, and before weights are saved or evaluated, `finish` for all of them.

    To freeze a parameter, leave it out of `parameters`.
    """

    squares: ClassVar[tuple[str, ...]] = ()
    """The entries of the memory that are sums of squares, and so not below 0."""

    _arrays: ArrayStore | None = field(default=None, init=False, repr=False)

    @abstractmethod
    def rate(self, step: Step) -> float:
        """Return the learning rate of a step, finite and 0 or above."""

    @abstractmethod
    def update(
        self, weights: NDArray[np.float64], gradient: NDArray[np.float64], memory: Memory, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        """Return the new weights and memory of some rows, given their old ones, as new arrays."""

    def initial_memory(self, weights: NDArray[np.float64]) -> Memory:
        """Return what is remembered of weights of this shape before the first step: new arrays with as many rows."""
        return {}

    def shrinkage(self, memory: Memory) -> Shrinkage | None:
        """Return how rows with this memory shrink in steps that do not touch them, None if they stay as they are."""
        return None

    @property
    def needs_dense(self) -> bool:
        """Whether each step needs a dense gradient of each parameter."""
        return False

    def state_of(self, name: str, parameter: Parameter, timeline: Timeline) -> ParameterState:
        """Return what a store is to remember of a parameter, before its first step."""
        if parameter.hashed:
            return self.hashed_state_of(name, parameter, timeline)
        shape = parameter.read().shape
        return RowState(self, name, shape, DenseGradientSum(name, shape), timeline)

    def hashed_state_of(self, name: str, parameter: Parameter, timeline: Timeline) -> ParameterState:
        """Return that of hashed weights; an optimiser with compiled steps for them overrides this."""
        shape = parameter.read().shape
        return RowState(self, name, shape, HashedGradientSum(name, GradientBuffer(shape[0])), timeline)

    def store(self, parameters: Mapping[str, Parameter], *, average: bool = False) -> ParameterStore:
        """Return what takes the steps of a training loop.

        Parameters
        ----------
        parameters : by name, with float64 values; the steps change them in place
        average : whether the mean of the weights after each step is wanted

        Examples
        --------
        >>> from autodiff.optimizers import SGD
        >>> weights = Parameter("weights", [1.0, 2.0])
        >>> store = SGD(0.5).store({"weights": weights}, average=True)
        >>> for _ in range(2):
        ...     store.add("weights", np.array([1.0, 0.0]))
        ...     store.step()
        >>> weights.value, store.averaged()["weights"]
        (array([0., 2.]), array([0.25, 2.  ]))
        """
        return ParameterStore(self, parameters, average=average)

    @property
    def steps(self) -> int:
        """The number of steps that `step` has taken."""
        return 0 if self._arrays is None else self._arrays.steps

    def step(
        self,
        parameters: Mapping[str, NDArray[np.float64]],
        gradients: Mapping[str, Gradient],
        *,
        loss: float | None = None,
    ) -> None:
        """Take one step: update every array in place.

        Parameters
        ----------
        parameters : float64 arrays by name; the same names and shapes in all steps
        gradients : for each name a dense array of the same shape, a `SparseAdjoint`, or None
        loss : of which these are the gradients, for rules that ask for it

        Raises
        ------
        GradientError, NonFiniteGradientError, DivergenceError
            In each case before any parameter has changed (but for shrinkage that was caught up with).
        """
        self._store_of_arrays().step_with(parameters, gradients, loss=loss)

    def catch_up(
        self,
        parameters: Mapping[str, NDArray[np.float64]],
        name: str | None = None,
        indices: ArrayLike | None = None,
    ) -> None:
        """Catch up with the shrinkage of untouched rows: of some rows, of one parameter, or of all.

        Parameters
        ----------
        parameters : as for `step`
        name : the parameter; all of them if None
        indices : (rows,) of that parameter, repetitions allowed; all rows if None
        """
        self._store_of_arrays().catch_up_with(parameters, name, indices)

    def finish(self, parameters: Mapping[str, NDArray[np.float64]]) -> None:
        """Catch up with all shrinkage: call it after the last step, and before saving or evaluating weights."""
        self.catch_up(parameters)

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain values that go into JSON.

        >>> from autodiff.optimizers import SGD
        >>> SGD(0.5).settings()["learning_rate"]
        {'class': 'Constant', 'rate': 0.5}
        """
        return settings_of(self)

    def _store_of_arrays(self) -> ArrayStore:
        if self._arrays is None:
            self._arrays = ArrayStore(self)
        return self._arrays

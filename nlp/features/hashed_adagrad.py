"""AdaGrad on hashed weights, compiled: `autodiff.optimizers.AdaGrad` for one vector, its gradient coming in pieces."""

import json
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff.conversion import as_count, as_integers
from autodiff.optimizers.errors import OptimizerError, StateMismatchError
from autodiff.optimizers.schedules import Schedule, as_schedule
from autodiff.optimizers.settings import settings_of
from nlp.features import kernels
from nlp.features.gradient_buffer import GradientBuffer
from nlp.features.hashed_state import check_hashed_state

__all__ = ["HashedAdaGrad"]

_COLUMNS, _SUM = (
    4,
    3,
)  # gradient, sum of squares, steps paid, sum of weights: together, so that a slot is one line of cache


class HashedAdaGrad(GradientBuffer):
    """AdaGrad with composite mirror descent on f(w) + λ/2 ‖w‖² (Duchi, Hazan & Singer 2011), in place and lazily.

    It is a `GradientBuffer`: add the gradients of a mini-batch to it, then take a `step`::

        G ← G + g²,   H = δ + √G,   w ← (H w - η g) / (H + η λ)

    Slots without a gradient owe the factor H / (H + η λ) for each step and pay it, exactly, when they are next touched,
    settled (`SentenceFeatures.settle`, before their weights are read) or at `finish` (before weights are saved or
    evaluated).  All that is kept up as well for `averaged`, the mean of the weights after each step.

    Parameters
    ----------
    weights : (slots,) float64, updated in place; or the number of slots, for zeros
    learning_rate : a number or a `Schedule`; what a slot owes costs time for each *change* of the rate since it was
        last touched, so prefer schedules that change it rarely (`StepDecay`) to those that do in every step
    l2 : λ ≥ 0, a coefficient for each step
    delta : δ > 0

    Examples
    --------
    >>> optimizer = HashedAdaGrad(4, 1.0, l2=1.0)
    >>> for _ in range(2):
    ...     optimizer.add([1], [3.0])
    ...     optimizer.step()
    >>> optimizer.weights.round(3).tolist(), optimizer.averaged().round(3).tolist()
    ([0.0, -0.984, 0.0, 0.0], [0.0, -0.792, 0.0, 0.0])
    """

    def __init__(
        self,
        weights: NDArray[np.float64] | int,
        learning_rate: float | Schedule,
        *,
        l2: float = 0.0,
        delta: float = 1.0,
    ) -> None:
        if not isinstance(weights, np.ndarray):
            weights = np.zeros(as_count(weights, "HashedAdaGrad: weights, as the number of slots,", OptimizerError))
        usable = weights.flags.c_contiguous and weights.flags.writeable
        if weights.dtype != np.float64 or weights.ndim != 1 or not usable:
            raise OptimizerError(
                f"weights {weights.dtype}{weights.shape}; expected a contiguous, writeable float64 vector"
            )
        if not np.isfinite(weights).all():
            raise OptimizerError("weights hold NaN or an infinity; start from finite numbers")
        numbers = isinstance(l2, Real) and isinstance(delta, Real)
        if not (numbers and 0 <= l2 < np.inf and 0 < delta < np.inf):
            raise OptimizerError(f"HashedAdaGrad: l2 is {l2} and delta {delta}, but they must be ≥ 0 and > 0")
        super().__init__(len(weights), memory=np.zeros((len(weights), _COLUMNS)))
        self.weights = weights
        self.learning_rate = as_schedule(learning_rate)
        self.l2 = float(l2)
        self.delta = float(delta)
        self.steps = 0
        self.averaged_from = 0
        self._starts = np.zeros(0, dtype=np.int64)
        self._rates = np.zeros(0)

    def step(self, scale: float = 1.0) -> None:
        """Take one step with `scale` × the gradient that has been added since the last one."""
        rate = float(self.learning_rate(self.steps))
        if not isinstance(scale, Real):
            raise OptimizerError(f"step {self.steps}: the scale is {scale!r}, but must be a number")
        if not (np.isfinite(rate) and rate >= 0 and np.isfinite(scale)):
            raise OptimizerError(f"step {self.steps}: the rate is {rate} and the scale {scale}; they must be finite")
        touched = kernels.adagrad.arrange(self.touched, self.used, len(self))
        kernels.adagrad.update(self.weights, self.memory, touched, float(scale), rate, self.steps, *self.debts)
        self.used = 0
        if not len(self._rates) or self._rates[-1] != rate:
            self._starts = np.append(self._starts, self.steps)
            self._rates = np.append(self._rates, rate)
        self.steps += 1

    @property
    def debts(self) -> tuple[float, float, NDArray[np.int64], NDArray[np.float64]]:
        """What kernels need in order to find what a slot owes: λ, δ, and the rates of past steps, in runs."""
        return self.l2, self.delta, self._starts, self._rates

    def settle(self, indices: NDArray[np.int32]) -> None:
        """Let the slots `indices`, as `SentenceFeatures.extract` gives them, pay what they owe."""
        slots = as_integers(indices, "indices", OptimizerError)
        if slots.ndim != 1 or (slots.size and not (slots.min() >= 0 and slots.max() < len(self))):
            raise OptimizerError(f"indices {slots.shape} must be a vector of slots from 0 to {len(self) - 1}")
        kernels.adagrad.settle(slots.astype(np.uint32), self.weights, self.memory, self.steps, *self.debts)

    def finish(self) -> None:
        """Let every slot pay what it owes: after the last step, and before weights are read elsewhere."""
        kernels.adagrad.settle_all(self.weights, self.memory, self.steps, *self.debts)

    def averaged(self) -> NDArray[np.float64]:
        """Return the mean of the weights after each step so far, or since `restart_average`; nothing changes."""
        if self.steps == self.averaged_from:
            return self.weights.copy()
        mean = np.empty(len(self.weights))
        kernels.adagrad.sums(self.weights, self.memory, self.steps, *self.debts, mean)
        mean /= self.steps - self.averaged_from
        return mean

    def restart_average(self) -> None:
        """Let `averaged` count from the next step on."""
        self.finish()
        self.memory[:, _SUM] = 0.0
        self.averaged_from = self.steps

    def settings(self) -> dict[str, Any]:
        """Return the settings as plain values that go into JSON.

        >>> HashedAdaGrad(4, 0.5).settings()
        {'learning_rate': {'class': 'Constant', 'rate': 0.5}, 'l2': 0.0, 'delta': 1.0}
        """
        rate = {"class": type(self.learning_rate).__name__, **settings_of(self.learning_rate)}
        return {"learning_rate": rate, "l2": self.l2, "delta": self.delta}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return a copy of everything that later steps depend on, weights included, as arrays by name."""
        return {
            "settings": np.frombuffer(json.dumps(self.settings(), sort_keys=True).encode(), dtype=np.uint8).copy(),
            "weights": self.weights.copy(),
            "memory": self.memory.copy(),
            "touched": self.touched[: self.used].copy(),
            "steps": np.array([self.steps, self.averaged_from], dtype=np.int64),
            "starts": self._starts.copy(),
            "rates": self._rates.copy(),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a `state`: the same gradients then give the same bytes.

        Raises
        ------
        StateMismatchError
            If the state comes from other settings or another number of slots, or lacks something.
        """
        missing = {"settings", "weights", "memory", "touched", "steps", "starts", "rates"} - set(state)
        if missing:
            raise StateMismatchError(f"the state lacks {sorted(missing)}: pass all that HashedAdaGrad.state() returned")
        try:
            saved = json.loads(bytes(np.asarray(state["settings"], dtype=np.uint8)))
        except (ValueError, RecursionError):
            raise StateMismatchError("the settings of the state are no JSON: it is damaged") from None
        if saved != json.loads(json.dumps(self.settings())):
            raise StateMismatchError(f"cannot restore a state with settings {saved} where they are {self.settings()}")
        arrays = check_hashed_state(state, len(self), self.memory.shape[1])
        self.weights[:] = arrays.weights
        self.memory[:] = arrays.memory
        self.touched = arrays.touched.astype(np.uint32)
        self.used = len(self.touched)
        self.steps, self.averaged_from = arrays.steps.tolist()
        self._starts, self._rates = arrays.starts.copy(), arrays.rates.copy()

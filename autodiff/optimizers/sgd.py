"""Stochastic gradient descent with ℓ2 and momentum."""

from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from autodiff.optimizers.checks import fraction, non_negative
from autodiff.optimizers.explicit_decay import check_explicit_decay, log_explicit_decay
from autodiff.optimizers.optimizer import Memory, Optimizer

__all__ = ["SGD"]


@define(eq=False, slots=False)
class SGD(Optimizer):
    """Stochastic gradient descent on f(w) + λ/2 ‖w‖².

    Without momentum, for each row::

        w ← (1 - η_t λ) w - η_t g

    and rows that a sparse gradient does not touch owe the product of (1 - η_t λ), which they pay exactly.
    With momentum μ (Polyak's heavy ball; dense gradients in every step, or an error)::

        v ← μ v + g + λ w,   w ← w - η_t v

    Parameters
    ----------
    learning_rate : a number or a `Schedule`; η λ ≤ 1/2
    l2 : λ ≥ 0
    momentum : 0 ≤ μ < 1

    Examples
    --------
    >>> import numpy as np
    >>> parameters = {"w": np.array([1.0, 2.0])}
    >>> optimizer = SGD(0.5, l2=0.1)
    >>> optimizer.step(parameters, {"w": np.array([1.0, 0.0])})
    >>> parameters["w"]
    array([0.45, 1.9 ])
    """

    l2: float = field(default=0.0, validator=non_negative, kw_only=True)
    momentum: float = field(default=0.0, validator=fraction, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Settle what is lazy: with momentum nothing is."""
        self._dense_only = self.momentum > 0
        self._shrinks = self.l2 > 0 and not self._dense_only

    def _initial(self, weights: NDArray[np.float64]) -> Memory:
        return {"velocity": np.zeros(weights.shape)} if self.momentum > 0 else {}

    def _update(
        self, weights: NDArray[np.float64], gradient: NDArray[np.float64], memory: Memory, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        if self.momentum > 0:
            velocity = self.momentum * memory["velocity"] + gradient + self.l2 * weights
            return weights - rate * velocity, {"velocity": velocity}
        return (1.0 - rate * self.l2) * weights - rate * gradient, {}

    def _log_shrinkage(self, memory: Memory, since: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
        return log_explicit_decay(self._history, self.l2, since, dimensions)

    def _check_rate(self, rate: float) -> None:
        check_explicit_decay("SGD", "l2", rate, self.l2)

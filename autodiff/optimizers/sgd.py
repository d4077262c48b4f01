"""Stochastic gradient descent with ℓ1, ℓ2 and momentum."""

from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from autodiff.optimizers.checks import fraction, non_negative
from autodiff.optimizers.explicit_decay import check_explicit_decay, log_explicit_decay
from autodiff.optimizers.optimizer import Memory, Optimizer
from autodiff.optimizers.soft_threshold import shrink, soft_threshold
from autodiff.validators import plain

__all__ = ["SGD"]


@define(eq=False, slots=False)
class SGD(Optimizer):
    """Stochastic gradient descent on f(w) + λ₁ ‖w‖₁ + λ/2 ‖w‖² (with ℓ1: Duchi & Singer 2009, FOBOS).

    Without momentum, for each row, with S(u, a) = sign(u) max(0, |u| - a)::

        w ← S((1 - η_t λ) w - η_t g, η_t λ₁)

    and rows that a sparse gradient does not touch owe the product of (1 - η_t λ), which they pay exactly.
    With momentum μ (Polyak's heavy ball; dense gradients in every step, or an error)::

        v ← μ v + g + λ w,   w ← w - η_t v

    and with ℓ1 as well, w' = S(w - η_t v, η_t λ₁), after which v ← (w - w') / η_t, what w really moved by.

    Parameters
    ----------
    learning_rate : a number or a `Schedule`; η λ ≤ 1/2
    l2 : λ ≥ 0
    l1 : λ₁ ≥ 0
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

    l2: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)
    l1: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)
    momentum: float = field(default=0.0, converter=plain, validator=fraction, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Settle what is lazy: with momentum nothing is."""
        self._dense_only = self.momentum > 0
        self._shrinks = (self.l2 > 0 or self.l1 > 0) and not self._dense_only

    def _initial(self, weights: NDArray[np.float64]) -> Memory:
        return {"velocity": np.zeros(weights.shape)} if self.momentum > 0 else {}

    def _update(
        self, weights: NDArray[np.float64], gradient: NDArray[np.float64], memory: Memory, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        if self.momentum > 0:
            velocity = self.momentum * memory["velocity"] + gradient + self.l2 * weights
            updated = self._threshold(weights - rate * velocity, rate)
            if self.l1 > 0 and rate > 0:  # what the weights really moved by; or the threshold would be counted twice
                velocity = (weights - updated) / rate
            return updated, {"velocity": velocity}
        return self._threshold((1.0 - rate * self.l2) * weights - rate * gradient, rate), {}

    def _threshold(self, weights: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
        return soft_threshold(weights, rate * self.l1) if self.l1 > 0 else weights

    def _log_shrinkage(self, memory: Memory, since: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
        return log_explicit_decay(self._history, self.l2, since, dimensions)

    def _shrunk(self, weights: NDArray[np.float64], memory: Memory, since: NDArray[Any]) -> NDArray[np.float64]:
        factor = self._log_shrinkage(memory, since, weights.ndim)
        return shrink(weights, factor, l1=self.l1, l2=self.l2, rates=self._history.sum_rates(since))

    def _check_rate(self, rate: float) -> None:
        check_explicit_decay("SGD", "l2", rate, self.l2)

"""Stochastic gradient descent with ℓ1, ℓ2 and momentum."""

from typing import ClassVar

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from autodiff.named import setting
from autodiff.optimizers.checks import fraction, non_negative
from autodiff.optimizers.explicit_decay import check_explicit_decay
from autodiff.optimizers.parameter_state import Memory
from autodiff.optimizers.scheduled_optimizer import ScheduledOptimizer
from autodiff.optimizers.shrinkage import ExplicitShrinkage
from autodiff.optimizers.soft_threshold import soft_threshold
from autodiff.optimizers.step import Step
from autodiff.validators import plain

__all__ = ["SGD"]


@define(eq=False, slots=False)
class SGD(ScheduledOptimizer):
    """Stochastic gradient descent on f(w) + λ₁ ‖w‖₁ + λ/2 ‖w‖² (with ℓ1: Duchi & Singer 2009, FOBOS).

    Without momentum, for each row, with S(u, a) = sign(u) max(0, |u| - a)::

        w ← S((1 - η_t λ) w - η_t g, η_t λ₁)

    and rows that a sparse gradient does not touch catch up with the product of (1 - η_t λ), exactly.
    With momentum μ (Polyak's heavy ball; dense gradients in every step, or an error)::

        v ← μ v + g + λ w,   w ← w - η_t v

    and with ℓ1 as well, w' = S(w - η_t v, η_t λ₁), after which v ← (w - w') / η_t, what w really moved by.

    Parameters
    ----------
    learning_rate : a number or a `RateSchedule`; η λ ≤ 1/2
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

    name: ClassVar[str] = "sgd"

    l2: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)
    l1: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)
    momentum: float = setting(
        default=0.0, converter=plain, validator=fraction, kw_only=True, help="Of SGD; needs dense gradients."
    )

    def regularized(self, coefficient: float) -> "SGD":
        """Return the same with this λ."""
        return evolve(self, l2=coefficient)

    def initial_memory(self, weights: NDArray[np.float64]) -> Memory:
        """Return the velocity, if there is momentum."""
        return {"velocity": np.zeros(weights.shape)} if self.momentum > 0 else {}

    def update(
        self, weights: NDArray[np.float64], gradient: NDArray[np.float64], memory: Memory, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        """Return the new weights and memory of some rows."""
        if self.momentum > 0:
            velocity = self.momentum * memory["velocity"] + gradient + self.l2 * weights
            updated = self._threshold(weights - rate * velocity, rate)
            if self.l1 > 0 and rate > 0:  # what the weights really moved by; or the threshold would be counted twice
                velocity = (weights - updated) / rate
            return updated, {"velocity": velocity}
        return self._threshold((1.0 - rate * self.l2) * weights - rate * gradient, rate), {}

    def _threshold(self, weights: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
        return soft_threshold(weights, rate * self.l1) if self.l1 > 0 else weights

    def shrinkage(self, memory: Memory) -> ExplicitShrinkage | None:
        """Return ℓ2 and the threshold; with momentum each step touches all rows."""
        if (self.l2 == 0 and self.l1 == 0) or self.needs_dense:
            return None
        return ExplicitShrinkage(l1=self.l1, l2=self.l2)

    @property
    def needs_dense(self) -> bool:
        """Whether there is momentum, which moves all rows in each step."""
        return self.momentum > 0

    def rate(self, step: Step) -> float:
        """Return the rate that the schedule has for the step; η λ ≤ 1/2."""
        rate = super().rate(step)
        check_explicit_decay("SGD", "l2", rate, self.l2)
        return rate

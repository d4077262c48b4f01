"""Adam (Kingma & Ba 2015), with decoupled weight decay (Loshchilov & Hutter 2019), on rows."""

from typing import ClassVar

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from autodiff.named import setting
from autodiff.optimizers.checks import fraction, non_negative, positive
from autodiff.optimizers.explicit_decay import check_explicit_decay
from autodiff.optimizers.parameter_state import Memory
from autodiff.optimizers.scheduled_optimizer import ScheduledOptimizer
from autodiff.optimizers.shrinkage import ExplicitShrinkage
from autodiff.optimizers.soft_threshold import soft_threshold
from autodiff.optimizers.step import Step
from autodiff.validators import plain

__all__ = ["Adam"]


@define(eq=False, slots=False)
class Adam(ScheduledOptimizer):
    """Adam with bias correction.

    For each row that the gradient touches (all rows, if it is dense)::

        n ← n + 1,   m ← β₁ m + (1 - β₁) g,   v ← β₂ v + (1 - β₂) g²
        w ← (1 - η_t λ) w - η_t m̂ / (√v̂ + ε)   with   m̂ = m / (1 - β₁ⁿ),   v̂ = v / (1 - β₂ⁿ)

    A row that a sparse gradient does *not* touch keeps n, m and v as they are, and momentum does not move it:
    each row is an Adam of its own that sees only the steps that touch it (with the learning rate of the
    common step number). This is not what dense Adam does with a gradient of zeros.  The weight decay alone is
    that of every step, and caught up with exactly.

    Parameters
    ----------
    learning_rate : a number or a `RateSchedule`; η λ ≤ 1/2
    first_decay : 0 ≤ β₁ < 1
    second_decay : 0 ≤ β₂ < 1
    epsilon : ε > 0
    weight_decay : λ ≥ 0
    l1 : λ₁ ≥ 0, decoupled like the weight decay: after the step above |w| is brought nearer to 0 by η_t λ₁, but not
        beyond.  (In Adam's own metric a row that has had no gradient would be wiped out at once.)

    Examples
    --------
    >>> import numpy as np
    >>> parameters = {"w": np.array([1.0, 1.0])}
    >>> optimizer = Adam(0.25)
    >>> optimizer.step(parameters, {"w": np.array([100.0, -0.01])})
    >>> parameters["w"].round(3)
    array([0.75, 1.25])
    """

    name: ClassVar[str] = "adam"
    squares: ClassVar[tuple[str, ...]] = ("second",)

    first_decay: float = setting(
        default=0.9, converter=plain, validator=fraction, kw_only=True, help="Of the mean of gradients, in Adam."
    )
    second_decay: float = setting(
        default=0.999, converter=plain, validator=fraction, kw_only=True, help="Of the mean of their squares, in Adam."
    )
    epsilon: float = setting(
        default=1e-8, converter=plain, validator=positive, kw_only=True, help="Added to the root of that, in Adam."
    )
    weight_decay: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)
    l1: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)

    def regularized(self, coefficient: float) -> "Adam":
        """Return the same with this decoupled weight decay."""
        return evolve(self, weight_decay=coefficient)

    def initial_memory(self, weights: NDArray[np.float64]) -> Memory:
        """Return both moments, and the number of touches."""
        return {
            "first": np.zeros(weights.shape),
            "second": np.zeros(weights.shape),
            "touches": np.zeros((len(weights),) + (1,) * (weights.ndim - 1), dtype=np.int64),
        }

    def update(
        self, weights: NDArray[np.float64], gradient: NDArray[np.float64], memory: Memory, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        """Return the new weights and memory of some rows."""
        touches = memory["touches"] + 1
        first = self.first_decay * memory["first"] + (1.0 - self.first_decay) * gradient
        second = self.second_decay * memory["second"] + (1.0 - self.second_decay) * gradient * gradient
        corrected_first = first / (1.0 - self.first_decay**touches)
        corrected_second = second / (1.0 - self.second_decay**touches)
        direction = corrected_first / (np.sqrt(corrected_second) + self.epsilon)
        updated = (1.0 - rate * self.weight_decay) * weights - rate * direction
        if self.l1 > 0:
            updated = soft_threshold(updated, rate * self.l1)
        return updated, {"first": first, "second": second, "touches": touches}

    def shrinkage(self, memory: Memory) -> ExplicitShrinkage | None:
        """Return the weight decay and the threshold."""
        if self.weight_decay == 0 and self.l1 == 0:
            return None
        return ExplicitShrinkage(l1=self.l1, l2=self.weight_decay)

    def rate(self, step: Step) -> float:
        """Return the rate that the schedule has for the step; η λ ≤ 1/2."""
        rate = super().rate(step)
        check_explicit_decay("Adam", "weight_decay", rate, self.weight_decay)
        return rate

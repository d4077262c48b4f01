"""AdaGrad with composite mirror descent, ℓ1 and ℓ2 (Duchi, Hazan & Singer 2011), lazy on sparse gradients."""

from typing import ClassVar

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from autodiff.named import setting
from autodiff.optimizers.checks import non_negative, positive
from autodiff.optimizers.errors import OptimizerError
from autodiff.optimizers.hashed_adagrad import HashedAdaGradState
from autodiff.optimizers.parameter_state import Memory, ParameterState
from autodiff.optimizers.scheduled_optimizer import ScheduledOptimizer
from autodiff.optimizers.shrinkage import ImplicitShrinkage
from autodiff.optimizers.soft_threshold import soft_threshold
from autodiff.optimizers.timeline import Timeline
from autodiff.parameter import Parameter
from autodiff.validators import plain

__all__ = ["AdaGrad"]


@define(eq=False, slots=False)
class AdaGrad(ScheduledOptimizer):
    """AdaGrad on f(w) + λ₁ ‖w‖₁ + λ/2 ‖w‖²: the optimiser of Gormley et al. (2015, eq. 8).

    For each coordinate i, with G_i = 0 at first (Duchi et al. 2011, the composite mirror descent update for
    φ = λ₁ ‖w‖₁ + λ/2 ‖w‖²), where S(u, a) = sign(u) max(0, |u| - a)::

        G_i ← G_i + g_i²,   H_i = δ + √G_i,   w_i ← S(H_i w_i - η_t g_i, η_t λ₁) / (H_i + η_t λ)

    A coordinate whose gradient is 0 keeps its H_i and shrinks by H_i / (H_i + η_t λ).  So a row that a sparse
    gradient does not touch shrinks by the product of those factors (with ℓ1 also by what the thresholds take off, see
    `soft_threshold`) when it is next touched or caught up, equal to the eager update to 1e-12 under any schedule.  The
    gradient itself is never scaled by the skipped rates.  On a `HashedParameter` the steps are compiled, without ℓ1.

    Parameters
    ----------
    learning_rate : a number or a `RateSchedule`
    l2 : λ ≥ 0, a coefficient for each *step*: with mini-batches whose loss is averaged over examples, eq. 8
        asks for λ / D with D the number of training examples
    l1 : λ₁ ≥ 0, likewise; weights that matter little become exactly 0
    delta : δ > 0.  It is also the H of a weight that has had no gradient yet: a tiny δ would let the
        regulariser wipe out a warm-started weight before its feature is first seen, hence the default of 1.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff.sparse import SparseAdjoint
    >>> parameters = {"w": np.array([1.0, 1.0])}
    >>> optimizer = AdaGrad(1.0, l2=1.0)
    >>> for _ in range(2):
    ...     optimizer.step(parameters, {"w": SparseAdjoint(np.array([0]), np.array([3.0]), (2,))})
    >>> bool(parameters["w"][1] == 1.0)                       # two halvings are to be caught up with …
    True
    >>> optimizer.finish(parameters)
    >>> round(float(parameters["w"][1]), 12)                  # … here
    0.25
    """

    name: ClassVar[str] = "adagrad"
    squares: ClassVar[tuple[str, ...]] = ("squares",)

    l2: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)
    l1: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)
    delta: float = setting(
        default=1.0,
        converter=plain,
        validator=positive,
        kw_only=True,
        help="δ of AdaGrad: less makes first steps longer.",
    )

    def regularized(self, coefficient: float) -> "AdaGrad":
        """Return the same with this λ."""
        return evolve(self, l2=coefficient)

    def initial_memory(self, weights: NDArray[np.float64]) -> Memory:
        """Return the sums of squares, 0."""
        return {"squares": np.zeros(weights.shape)}

    def update(
        self, weights: NDArray[np.float64], gradient: NDArray[np.float64], memory: Memory, rate: float
    ) -> tuple[NDArray[np.float64], Memory]:
        """Return the new weights and memory of some rows."""
        squares = memory["squares"] + gradient * gradient
        metric = np.sqrt(squares)
        metric += self.delta
        updated = metric * weights
        updated -= rate * gradient
        if self.l1 > 0:
            updated = soft_threshold(updated, rate * self.l1)
        metric += rate * self.l2
        updated /= metric
        return updated, {"squares": squares}

    def shrinkage(self, memory: Memory) -> ImplicitShrinkage | None:
        """Return H / (H + η λ) and the threshold in each row's own metric."""
        if self.l1 == 0 and self.l2 == 0:
            return None
        return ImplicitShrinkage(self.delta + np.sqrt(memory["squares"]), l1=self.l1, l2=self.l2)

    def hashed_state_of(self, name: str, parameter: Parameter, timeline: Timeline) -> ParameterState:
        """Return one with compiled steps, which are those without ℓ1."""
        if self.l1 > 0:
            return super().hashed_state_of(name, parameter, timeline)
        if not np.isfinite(parameter.read()).all():
            raise OptimizerError(f"parameter {name!r} holds NaN or an infinity; start from finite numbers")
        slots = len(parameter.read())
        return HashedAdaGradState(name, slots, timeline, l2=float(self.l2), delta=float(self.delta))

"""What steps without a gradient take off a row: ℓ1, ℓ2 and weight decay, of any number of steps at once.

Between two touches a row follows one of two rules, in each step, with its rate η:

    |w| ← max(0, |w| - η λ₁ / H) / (1 + η λ₂ / H)      implicit: AdaGrad, in its metric H
    |w| ← max(0, (1 - η λ₂) |w| - η λ₁)                explicit: SGD and Adam
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from autodiff.optimizers import kernels
from autodiff.optimizers.checks import non_negative
from autodiff.optimizers.errors import OptimizerError
from autodiff.optimizers.rate_history import RateHistory
from autodiff.optimizers.soft_threshold import shrink
from autodiff.validators import plain

__all__ = ["ExplicitShrinkage", "ImplicitShrinkage", "Shrinkage"]


@frozen(eq=False)
class Shrinkage(ABC):
    """How some rows shrink.

    Attributes
    ----------
    l1, l2 : λ₁ and λ₂, 0 or above
    """

    l1: float = field(converter=plain, validator=non_negative, kw_only=True)
    l2: float = field(converter=plain, validator=non_negative, kw_only=True)

    @abstractmethod
    def _metric(self, weights: Floats) -> Floats:
        """Return H, with the axes and the rows of the weights, and to be broadcast to them."""

    @abstractmethod
    def _log_factor(self, metric: Floats, since: NDArray[Any], rates: RateHistory) -> Floats:
        """Return the log of the product of the factors of ℓ2."""

    @property
    @abstractmethod
    def _is_implicit(self) -> bool:
        """Which of the two rules it is."""

    def after(self, weights: Floats, since: NDArray[Any], rates: RateHistory) -> Floats:
        """Return rows (rows, …) as they are after the steps from `since` (rows,) on, as a new array."""
        metric = self._checked(weights, since, rates)
        factor = self._log_factor(metric, since, rates)
        return shrink(weights, factor, l1=self.l1, l2=self.l2, rates=rates.sum_rates(since), metric=metric)

    def after_and_sums(self, weights: Floats, since: NDArray[Any], rates: RateHistory) -> tuple[Floats, Floats]:
        """Return rows as they are after the steps from `since` on, and the sums of those after each step.

        It costs time for each change of the rate.
        """
        metric = self._checked(weights, since, rates)
        if not weights.size:
            return weights.copy(), weights.copy()
        rows, decay, threshold = (
            np.ascontiguousarray(array).reshape(len(weights), -1)
            for array in (weights, self.l2 / metric, self.l1 / metric)
        )
        after, sums = kernels.shrinkage.shrink(
            rows, decay, threshold, self._is_implicit, since.astype(np.int64), rates.steps, *rates.runs()
        )
        return after.reshape(weights.shape), sums.reshape(weights.shape)

    def _checked(self, weights: Floats, since: NDArray[Any], rates: RateHistory) -> Floats:
        """Return the metric, if all fits together."""
        fits = all(isinstance(array, np.ndarray) for array in (weights, since)) and weights.dtype == np.float64
        if not fits or weights.ndim == 0 or since.shape != weights.shape[:1] or since.dtype.kind not in "iu":
            raise OptimizerError(
                "shrinkage: weights must be a float64 array (rows, …), and since a whole number for each row"
            )
        if since.size and not (since.min() >= 0 and since.max() <= rates.steps):
            raise OptimizerError(
                f"shrinkage: since goes from {since.min()} to {since.max()}, but must be from 0 to {rates.steps}, the "
                "number of steps"
            )
        metric = self._metric(weights)
        if metric.ndim != weights.ndim or len(metric) != len(weights) or metric.shape[1:] not in (
            weights.shape[1:], (1,) * (weights.ndim - 1)
        ):  # fmt: skip
            raise OptimizerError(f"shrinkage: the metric {metric.shape} does not fit weights {weights.shape}")
        return metric


def _as_metric(metric: ArrayLike) -> Floats:
    return as_floats(metric, "ImplicitShrinkage: metric", OptimizerError)


@frozen(eq=False)
class ImplicitShrinkage(Shrinkage):
    """That of composite mirror descent in a metric H of the shape of the weights.

    >>> rates = RateHistory()
    >>> for rate in [1.0, 0.5]:
    ...     rates.append(rate)
    >>> shrinkage = ImplicitShrinkage(np.array([1.0, 1.0]), l1=0.0, l2=1.0)
    >>> shrinkage.after(np.array([3.0, 3.0]), np.array([0, 1]), rates)
    array([1., 2.])
    >>> shrinkage.after_and_sums(np.array([3.0, 3.0]), np.array([0, 1]), rates)
    (array([1., 2.]), array([2.5, 2. ]))
    """

    metric: Floats = field(converter=_as_metric)

    def _metric(self, weights: Floats) -> Floats:
        return self.metric

    def _log_factor(self, metric: Floats, since: NDArray[Any], rates: RateHistory) -> Floats:
        return -rates.sum_log1p(self.l2 / metric, since)

    @property
    def _is_implicit(self) -> bool:
        return True


@frozen(eq=False)
class ExplicitShrinkage(Shrinkage):
    """That of plain steps, the same for all weights.

    >>> rates = RateHistory()
    >>> for rate in [0.5, 0.25]:
    ...     rates.append(rate)
    >>> ExplicitShrinkage(l1=0.0, l2=1.0).after(np.array([8.0, 8.0]), np.array([0, 1]), rates)
    array([3., 6.])
    """

    def _metric(self, weights: Floats) -> Floats:
        return np.ones((len(weights),) + (1,) * (weights.ndim - 1))

    def _log_factor(self, metric: Floats, since: NDArray[Any], rates: RateHistory) -> Floats:
        return rates.sum_log1p(np.full(metric.shape, -self.l2), since)

    @property
    def _is_implicit(self) -> bool:
        return False

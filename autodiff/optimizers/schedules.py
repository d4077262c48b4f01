"""Learning-rate schedules: small frozen functions of the number of the step, which counts from 0.

A schedule of your own is an attrs-frozen subclass of `RateSchedule` with a `__call__`; its fields are saved with
the optimiser's settings.
"""

import math
from abc import ABC, abstractmethod
from numbers import Real

from attrs import field, frozen

from autodiff.optimizers.checks import count, non_negative, positive
from autodiff.optimizers.errors import OptimizerError
from autodiff.validators import plain

__all__ = [
    "Constant",
    "ExponentialDecay",
    "InverseDecay",
    "InverseSquareRoot",
    "RateSchedule",
    "StepDecay",
    "WarmupDecay",
    "as_schedule",
]


@frozen
class RateSchedule(ABC):
    """The learning rate η_t as a function of the step number t = 0, 1, 2, …"""

    @abstractmethod
    def __call__(self, step: int) -> float:
        """Return η_t for `step` t."""


@frozen
class Constant(RateSchedule):
    """η_t = η.

    >>> Constant(0.5)(7)
    0.5
    """

    rate: float = field(converter=plain, validator=positive)

    def __call__(self, step: int) -> float:
        """Return η."""
        return self.rate


@frozen
class InverseDecay(RateSchedule):
    """η_t = η / (1 + η λ t), with λ = `decay`, usually the ℓ2 coefficient (Bottou 2012, *SGD tricks*, §5.2).

    >>> InverseDecay(0.5, decay=0.1)(20)
    0.25
    """

    rate: float = field(converter=plain, validator=positive)
    decay: float = field(converter=plain, validator=non_negative, kw_only=True)

    def __call__(self, step: int) -> float:
        """Return η / (1 + η λ t)."""
        return self.rate / (1.0 + self.rate * self.decay * step)


@frozen
class InverseSquareRoot(RateSchedule):
    """η_t = η / √(1 + t / s), with s = `scale`.

    >>> InverseSquareRoot(0.5, scale=10)(30)
    0.25
    """

    rate: float = field(converter=plain, validator=positive)
    scale: float = field(default=1.0, converter=plain, validator=positive, kw_only=True)

    def __call__(self, step: int) -> float:
        """Return η / √(1 + t / s)."""
        return float(self.rate / (1.0 + step / self.scale) ** 0.5)


@frozen
class ExponentialDecay(RateSchedule):
    """η_t = η f^(t / n): smoothly by the factor f = `factor` every n = `every` steps.

    >>> ExponentialDecay(1.0, factor=0.25, every=10)(5)
    0.5
    """

    rate: float = field(converter=plain, validator=positive)
    factor: float = field(converter=plain, validator=positive, kw_only=True)
    every: int = field(default=1, converter=plain, validator=count, kw_only=True)

    def __call__(self, step: int) -> float:
        """Return η f^(t / n)."""
        return self.rate * _power(self.factor, step / self.every)


@frozen
class StepDecay(RateSchedule):
    """η_t = η f^⌊t / n⌋: at once by the factor f = `factor` every n = `every` steps.

    >>> [StepDecay(1.0, factor=0.5, every=2)(step) for step in range(5)]
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    rate: float = field(converter=plain, validator=positive)
    factor: float = field(converter=plain, validator=positive, kw_only=True)
    every: int = field(converter=plain, validator=count, kw_only=True)

    def __call__(self, step: int) -> float:
        """Return η f^⌊t / n⌋."""
        return self.rate * _power(self.factor, step // self.every)


@frozen
class WarmupDecay(RateSchedule):
    """Linearly up to η over the first `warmup` steps, then linearly down to `final` at step `total`, and on
    at `final`.

    >>> [WarmupDecay(1.0, warmup=2, total=6)(step) for step in range(8)]
    [0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    """

    rate: float = field(converter=plain, validator=positive)
    warmup: int = field(converter=plain, validator=count, kw_only=True)
    total: int = field(converter=plain, validator=count, kw_only=True)
    final: float = field(default=0.0, converter=plain, validator=non_negative, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Check what no single field can."""
        if self.total <= self.warmup:
            raise OptimizerError(
                f"WarmupDecay: total is {self.total}, but must be above warmup, which is {self.warmup}"
            )

    def __call__(self, step: int) -> float:
        """Return η_t."""
        if step < self.warmup:
            return self.rate * (step + 1) / self.warmup
        left = max(self.total - step, 0) / (self.total - self.warmup)
        return self.final + (self.rate - self.final) * left


def _power(factor: float, exponent: float) -> float:
    """Return factor^exponent, infinite where it is too large: a rate that the optimiser then refuses."""
    try:
        return float(factor**exponent)
    except OverflowError:
        return math.inf


def as_schedule(rate: "float | RateSchedule") -> RateSchedule:
    """Return a schedule as it is, and a number as the constant schedule.

    >>> as_schedule(0.1)
    Constant(rate=0.1)
    """
    if isinstance(rate, RateSchedule):
        return rate
    if isinstance(rate, Real):
        return Constant(float(rate))
    raise OptimizerError(
        f"learning_rate is {rate!r}, but must be a number or a RateSchedule "
        "(for one of your own, subclass autodiff.optimizers.RateSchedule)"
    )

"""Optimisers whose learning rate is a function of the number of the step."""

from typing import Self

from attrs import define, evolve, field

from autodiff.optimizers.optimizer import Optimizer
from autodiff.optimizers.schedules import RateSchedule, as_schedule
from autodiff.optimizers.step import Step

__all__ = ["ScheduledOptimizer"]


@define(eq=False, slots=False)
class ScheduledOptimizer(Optimizer):
    """An optimiser with a schedule.

    Parameters
    ----------
    learning_rate : a number or a `RateSchedule`
    """

    learning_rate: RateSchedule = field(converter=as_schedule)

    def rate(self, step: Step) -> float:
        """Return the rate that the schedule has for the step."""
        return float(self.learning_rate(step.number))

    def at_rate(self, learning_rate: float) -> Self:
        """Return the same with this learning rate, a constant."""
        return evolve(self, learning_rate=learning_rate)

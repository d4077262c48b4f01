"""Optimisers whose learning rate is a function of the number of the step."""

from attrs import define, field

from autodiff.optimizers.optimizer import Optimizer
from autodiff.optimizers.schedules import Schedule, as_schedule
from autodiff.optimizers.step import Step

__all__ = ["ScheduledOptimizer"]


@define(eq=False, slots=False)
class ScheduledOptimizer(Optimizer):
    """An optimiser with a schedule.

    Parameters
    ----------
    learning_rate : a number or a `Schedule`
    """

    learning_rate: Schedule = field(converter=as_schedule)

    def rate(self, step: Step) -> float:
        """Return the rate that the schedule has for the step."""
        return float(self.learning_rate(step.number))

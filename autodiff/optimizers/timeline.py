"""The steps that a store has taken."""

from attrs import define, field

from autodiff.optimizers.rate_history import RateHistory

__all__ = ["Timeline"]


@define(eq=False)
class Timeline:
    """How many steps were taken, and at which rates; the parameters of a store share one.

    Attributes
    ----------
    shrinks : whether rows shrink in every step, so that the rates of past steps are needed
    average : whether the mean of the weights after each step is wanted
    averaged_from : the number of steps before those whose mean is wanted

    Examples
    --------
    >>> timeline = Timeline(shrinks=True, average=False)
    >>> timeline.advance(0.5)
    >>> timeline.steps, timeline.rates.runs()
    (1, (array([0]), array([0.5])))
    """

    shrinks: bool
    average: bool
    steps: int = 0
    averaged_from: int = 0
    rates: RateHistory = field(factory=RateHistory, repr=False)

    @property
    def is_lazy(self) -> bool:
        """Whether something is to be caught up for the rows that a step does not touch."""
        return self.shrinks or self.average

    def advance(self, rate: float) -> None:
        """Note one more step."""
        self.steps += 1
        if self.shrinks:
            self.rates.append(rate)

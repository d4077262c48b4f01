"""What is known of a step before it is taken."""

from collections.abc import Callable

from attrs import field, frozen

__all__ = ["Step"]


@frozen(eq=False)
class Step:
    """What the learning rate of a step may depend on.

    Attributes
    ----------
    number : of steps taken before it
    loss : the mean loss of its batch, None if the training loop did not say

    Examples
    --------
    >>> step = Step(3, 2.0, lambda: 8.0)
    >>> min(1.0, step.loss / step.squared_norm)                # the step of passive-aggressive learning
    0.25
    """

    number: int
    loss: float | None
    _find_squared_norm: Callable[[], float] = field(repr=False)

    @property
    def squared_norm(self) -> float:
        """‖g‖² of the whole gradient over all parameters; found when asked for."""
        return self._find_squared_norm()

"""Losses below what a loss can be: noticed, counted, and warned of once."""

from collections.abc import Sequence

import numpy as np
from attrs import define, field

from pgm._warning import warn
from pgm.learning.errors import UnboundedLossWarning
from pgm.learning.objective import Objective, ObjectiveValue

__all__ = ["LossBounds"]

_ROUNDING = 1e-6


@define
class LossBounds:
    """Counts losses below the least that an objective can have.

    Attributes
    ----------
    below : how many there were
    smallest : the smallest of all losses
    """

    below: int = field(default=0)
    smallest: float = field(default=np.inf)
    _warned: bool = field(default=False)

    def see(self, objective: Objective, evaluations: Sequence[ObjectiveValue]) -> None:
        """Look at what an objective said of some instances."""
        for loss in (evaluation.loss for evaluation in evaluations):
            self.below += loss < objective.least_loss - _ROUNDING * max(1.0, abs(loss))
            self.smallest = min(self.smallest, loss)

    def warn(self, objective: Objective, count: int, when: str = "") -> int:
        """Warn, the first time only; return how many losses were too small, and begin anew."""
        below, smallest = self.below, self.smallest
        if below and not self._warned:
            self._warned = True
            warn(
                f"{when}the losses of {below} of {count} examples are below {objective.least_loss:g}, the smallest "
                f"{smallest:.4g}: the log-partition of loopy belief propagation is too small there, and training may "
                f"run off; use more iterations, damping, an exact method, or L2Distance",
                UnboundedLossWarning,
            )
        self.below, self.smallest = 0, np.inf
        return below

"""Objectives one after another: first what is easy to learn, then what is meant."""

from collections.abc import Iterable
from typing import Any

from attrs import field, frozen
from attrs.validators import optional

from autodiff.validators import plain, whole
from pgm.learning.objective import Objective

__all__ = ["Stage", "as_stages"]


@frozen
class Stage:
    """A part of a training with an objective of its own.

    It starts from the best parameters of the stage before, with a fresh memory of the update rule, and always runs.

    Parameters
    ----------
    objective : what is made small
    epochs : at most this many; by default those of the trainer
    name : for reports; by default the objective's
    """

    objective: Objective = field()
    epochs: int | None = field(default=None, kw_only=True, converter=plain, validator=optional(whole(1)))
    name: str = field(kw_only=True)

    @objective.validator
    def _is_objective(self, _: Any, given: Any) -> None:
        if not isinstance(given, Objective):
            raise TypeError(f"Stage: the objective is {given!r}, but must be an Objective")

    @name.default
    def _by_class(self) -> str:
        return self.objective.name or type(self.objective).__name__


def as_stages(given: Any) -> tuple[Stage, ...]:
    """Return stages, given an objective, a stage, or several of either.

    >>> from pgm.learning import AnnealedRisk, L2Distance
    >>> [stage.name for stage in as_stages([L2Distance(), Stage(AnnealedRisk(), epochs=3)])]
    ['l2', 'risk']
    """
    several = given if isinstance(given, Iterable) else [given]
    stages = tuple(each if isinstance(each, Stage) else Stage(each) for each in several)
    if not stages:
        raise ValueError("there is no objective to train by")
    return stages

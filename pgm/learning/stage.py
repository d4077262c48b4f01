"""Objectives one after another: first what is easy to learn, then what is meant."""

from collections.abc import Iterable
from typing import Any

from attrs import field, fields, frozen
from attrs.validators import optional

from autodiff.validators import plain, whole
from pgm.learning.objective import Objective

__all__ = ["Stage", "as_stages"]


def _as_objective(given: Any) -> Objective:
    if not isinstance(given, Objective):
        raise TypeError(f"Stage: the objective is {given!r}, but must be an Objective")
    return given


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

    objective: Objective = field(converter=_as_objective)
    epochs: int | None = field(default=None, kw_only=True, converter=plain, validator=optional(whole(1)))
    name: str = field(kw_only=True)

    @name.default
    def _by_class(self) -> str:
        return self.objective.name or type(self.objective).__name__

    def plain(self) -> dict[str, Any]:
        """Return the settings as plain values, to be compared; of what is none, such as a function, the type."""
        objective = {each.name: getattr(self.objective, each.name) for each in fields(type(self.objective))}
        own = {name: value if _is_plain(value) else type(value).__name__ for name, value in objective.items()}
        return {"name": self.name, "epochs": self.epochs, "class": type(self.objective).__name__, "objective": own}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


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

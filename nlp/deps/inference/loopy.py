"""Inference by belief propagation with a fixed number of iterations (Smith & Eisner 2008; Gormley et al. 2015)."""

from functools import cached_property
from typing import Any, ClassVar, Literal

from attrs import evolve, frozen
from attrs.validators import instance_of

from autodiff.named import setting
from autodiff.validators import number, one_of, plain, whole
from nlp.deps.inference.base import DependencyInference
from pgm import BeliefPropagation
from pgm.schedules import Serial

__all__ = ["LoopyInference"]


@frozen(kw_only=True)
class LoopyInference(DependencyInference):
    """Belief propagation.

    Attributes
    ----------
    iterations, damping : of belief propagation
    schedule : "serial" (up and down a tree of the graph that hangs on the constraint) or "parallel"
    constraint_first : whether the tree constraint speaks before all others do, in the schedule "serial"
    """

    name: ClassVar[str] = "bp"

    iterations: int = setting(default=4, converter=plain, validator=whole(1), help="Of belief propagation.")
    damping: float = setting(
        default=0.0, converter=plain, validator=number(least=0, below=1), help="Share of the old message in the new."
    )
    schedule: Literal["serial", "parallel"] = setting(
        default="serial", validator=one_of("serial", "parallel"), help="Order of messages."
    )
    constraint_first: bool = setting(
        default=True, validator=instance_of(bool), help="Let the tree constraint speak before all other factors."
    )

    @cached_property
    def method(self) -> BeliefPropagation:
        """Belief propagation, to its last iteration."""
        schedule: Any = Serial(root_first=self.constraint_first) if self.schedule == "serial" else "parallel"
        return BeliefPropagation(iterations=self.iterations, damping=self.damping, schedule=schedule, tolerance=0.0)

    @cached_property
    def best_method(self) -> BeliefPropagation:
        """The same with max-product messages."""
        return evolve(self.method, mode="max")

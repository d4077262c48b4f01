"""Flooding: all factors send all their messages at once."""

from attrs import frozen

from pgm.graph import FactorGraph
from pgm.layout import Layout
from pgm.message_passing import MessageStep
from pgm.schedules.base import FixedPlan, Schedule, constant_groups

__all__ = ["Parallel"]


@frozen
class Parallel(Schedule):
    """Every iteration computes all messages from those of the iteration before.

    Examples
    --------
    >>> from pgm import BeliefPropagation
    >>> BeliefPropagation(schedule=Parallel(), iterations=10).schedule
    Parallel()
    """

    def plan(self, graph: FactorGraph) -> FixedPlan:
        """One round with every block."""
        constant, others = constant_groups(graph)
        layout = Layout.of(graph, [*constant, *others])
        steps = [MessageStep(number) for number in range(len(layout.blocks))]
        return FixedPlan(layout, (tuple(steps[: len(constant)]),), (tuple(steps[len(constant) :]),))

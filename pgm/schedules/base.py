"""The contract of a schedule: in which order the factors of a graph send their messages."""

from abc import ABC, abstractmethod

from attrs import field, frozen

from pgm.graph import FactorGraph
from pgm.layout import Layout, Part, stackable
from pgm.message_passing import MessagePassing, MessageStep

__all__ = ["FixedPlan", "Plan", "Schedule", "constant_groups"]


class Plan(ABC):
    """A schedule for one graph: the layout that it needs, and what an iteration does."""

    layout: Layout

    @abstractmethod
    def start(self, passing: MessagePassing) -> None:
        """Send the messages that never change (those of factors of one variable), once."""

    @abstractmethod
    def iterate(self, passing: MessagePassing) -> float:
        """Carry out one iteration and return the greatest change of a message."""


class Schedule(ABC):
    """Makes a plan for a graph.  Schedules differ only in the list of batched updates that they make."""

    @abstractmethod
    def plan(self, graph: FactorGraph) -> Plan:
        """Lay out the graph and list the updates."""


@frozen(eq=False)
class FixedPlan(Plan):
    """The same updates in every iteration.

    Attributes
    ----------
    opening : rounds carried out once, at the start; the first sends the constant messages
    rounds : of one iteration; the steps of a round are simultaneous
    """

    layout: Layout = field()
    opening: tuple[tuple[MessageStep, ...], ...] = field()
    rounds: tuple[tuple[MessageStep, ...], ...] = field()

    def start(self, passing: MessagePassing) -> None:
        """Carry out the opening."""
        for steps in self.opening:
            passing.send(steps)

    def iterate(self, passing: MessagePassing) -> float:
        """Carry out the rounds in order."""
        return max((passing.send(steps) for steps in self.rounds), default=0.0)


def constant_groups(graph: FactorGraph) -> tuple[list[list[Part]], list[list[Part]]]:
    """Split the groups of stackable families into those of factors of one variable, and the others."""
    groups = stackable(graph)
    constant = [group for group in groups if graph.families[group[0][0]].degree == 1]
    return constant, [group for group in groups if graph.families[group[0][0]].degree > 1]

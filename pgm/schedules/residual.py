"""The factor whose messages would change most goes first (Elidan, McGraw & Koller 2006)."""

import heapq

import numpy as np
from attrs import frozen

from pgm.graph import FactorGraph
from pgm.layout import Layout, Part
from pgm.message_passing import MessagePassing, MessageStep
from pgm.schedules.base import Plan, Schedule, constant_groups

__all__ = ["Residual"]


@frozen
class Residual(Schedule):
    """Update one factor at a time, always the one with the greatest residual; an iteration is as many as there are
    factors.

    Converges where flooding swings, at the price of a step of Python for each factor.

    Examples
    --------
    >>> from pgm import BeliefPropagation
    >>> BeliefPropagation(schedule=Residual(), iterations=10).schedule
    Residual()
    """

    def plan(self, graph: FactorGraph) -> "ResidualPlan":
        """A block for every factor."""
        constant, others = constant_groups(graph)
        singles: list[list[Part]] = [
            [(family, np.array([row]))] for group in others for family, rows in group for row in rows.tolist()
        ]
        return ResidualPlan(Layout.of(graph, [*constant, *singles]), len(constant))


class ResidualPlan(Plan):
    """A queue of factors by residual, made anew in each iteration."""

    def __init__(self, layout: Layout, constant: int) -> None:
        self.layout, self.constant = layout, constant
        self.numbers = range(constant, len(layout.blocks))
        self.blocks_at: dict[int, list[int]] = {}
        for number in self.numbers:
            for variable in layout.blocks[number].factor.variables[0].tolist():
                self.blocks_at.setdefault(variable, []).append(number)

    def start(self, passing: MessagePassing) -> None:
        """Send the constant messages."""
        passing.send([MessageStep(number) for number in range(self.constant)])

    def iterate(self, passing: MessagePassing) -> float:
        """Update the factor with the greatest residual, then look at its neighbours again."""
        residual = {number: passing.residual(MessageStep(number)) for number in self.numbers}
        queue = [(-value, number) for number, value in residual.items()]
        heapq.heapify(queue)
        for _ in self.numbers:
            while queue and -queue[0][0] != residual[queue[0][1]]:
                heapq.heappop(queue)  # out of date
            if not queue or queue[0][0] == 0.0:
                break
            _, number = heapq.heappop(queue)
            passing.send([MessageStep(number)])
            neighbours = {
                other
                for variable in self.layout.blocks[number].factor.variables[0].tolist()
                for other in self.blocks_at[variable]
            }
            for other in sorted(neighbours):
                residual[other] = passing.residual(MessageStep(other))
                heapq.heappush(queue, (-residual[other], other))
        return max(residual.values(), default=0.0)

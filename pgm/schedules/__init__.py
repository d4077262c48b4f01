"""Schedules of belief propagation, one a file."""

from pgm.schedules.base import FixedPlan, Plan, Schedule
from pgm.schedules.parallel import Parallel
from pgm.schedules.residual import Residual
from pgm.schedules.tree import SpanningTree

__all__ = ["FixedPlan", "Parallel", "Plan", "Residual", "Schedule", "SpanningTree"]

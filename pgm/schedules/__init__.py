"""Schedules of belief propagation, one a file."""

from pgm.schedules.base import FixedPlan, Plan, Schedule
from pgm.schedules.parallel import Parallel
from pgm.schedules.residual import Residual
from pgm.schedules.serial import Serial

__all__ = ["BY_NAME", "FixedPlan", "Parallel", "Plan", "Residual", "Schedule", "Serial"]

BY_NAME: dict[str, Schedule] = {"parallel": Parallel(), "serial": Serial(), "residual": Residual()}
"""What options say of schedules, in Python and in the shell."""

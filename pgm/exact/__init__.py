"""Exact inference: by listing everything, and in a junction tree."""

from pgm.exact.brute_force import BruteForce
from pgm.exact.junction_tree import JunctionTree
from pgm.exact.plan import JunctionTreePlan
from pgm.exact.result import ExactResult, MapResult

__all__ = ["BruteForce", "ExactResult", "JunctionTree", "JunctionTreePlan", "MapResult"]

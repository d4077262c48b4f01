"""The most probable assignment: by linear programming and by annealing."""

from pgm.map.annealing import AnnealingResult, DeterministicAnnealing
from pgm.map.linear_program import LinearProgram, LinearProgramResult

__all__ = ["AnnealingResult", "DeterministicAnnealing", "LinearProgram", "LinearProgramResult"]

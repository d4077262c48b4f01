"""The most probable assignment: by linear programming and by annealing; and sampling as a check."""

from pgm.map.annealing import AnnealingResult, DeterministicAnnealing
from pgm.map.gibbs import Gibbs, GibbsResult
from pgm.map.linear_program import LinearProgram, LinearProgramResult

__all__ = [
    "AnnealingResult",
    "DeterministicAnnealing",
    "Gibbs",
    "GibbsResult",
    "LinearProgram",
    "LinearProgramResult",
]

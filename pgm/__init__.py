"""Factor graphs, belief propagation and learning through it."""

from pgm.check import FactorCheckError, check_factor
from pgm.errors import (
    ContradictionError,
    FactorGraphError,
    FileFormatError,
    PgmError,
    PotentialError,
    TooLargeError,
)
from pgm.factor import Factor, FactorRun
from pgm.graph import FactorGraph
from pgm.variables import Variable, VariableArray

__all__ = [
    "ContradictionError",
    "Factor",
    "FactorCheckError",
    "FactorGraph",
    "FactorGraphError",
    "FactorRun",
    "FileFormatError",
    "PgmError",
    "PotentialError",
    "TooLargeError",
    "Variable",
    "VariableArray",
    "check_factor",
]

"""Factor graphs, belief propagation and learning through it."""

from pgm.belief_propagation import BeliefPropagation
from pgm.check import FactorCheckError, check_factor
from pgm.errors import (
    ContradictionError,
    FactorGraphError,
    FileFormatError,
    InferenceWarning,
    PgmError,
    PotentialError,
    TooLargeError,
)
from pgm.factor import Factor, FactorRun
from pgm.graph import FactorGraph
from pgm.result import BeliefResult
from pgm.unrolled import UnrolledBeliefPropagation
from pgm.variables import Variable, VariableArray

__all__ = [
    "BeliefPropagation",
    "BeliefResult",
    "ContradictionError",
    "Factor",
    "FactorCheckError",
    "FactorGraph",
    "FactorGraphError",
    "FactorRun",
    "FileFormatError",
    "InferenceWarning",
    "PgmError",
    "PotentialError",
    "TooLargeError",
    "UnrolledBeliefPropagation",
    "Variable",
    "VariableArray",
    "check_factor",
]

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
    PotentialWarning,
    TooLargeError,
)
from pgm.factor import Factor, FactorRun
from pgm.fractional import FractionalBeliefPropagation
from pgm.graph import FactorGraph
from pgm.mean_field import MeanField, MeanFieldResult
from pgm.result import BeliefResult
from pgm.tree_reweighted import TreeReweighted, appearance_probabilities
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
    "FractionalBeliefPropagation",
    "InferenceWarning",
    "MeanField",
    "MeanFieldResult",
    "PgmError",
    "PotentialError",
    "PotentialWarning",
    "TooLargeError",
    "TreeReweighted",
    "UnrolledBeliefPropagation",
    "Variable",
    "VariableArray",
    "appearance_probabilities",
    "check_factor",
]

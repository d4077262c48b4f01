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
    UnavailableError,
)
from pgm.factor import Factor, FactorRun
from pgm.fractional import FractionalBeliefPropagation
from pgm.graph import FactorGraph
from pgm.inference import DifferentiableInference, Inference
from pgm.inference_module import InferenceModule
from pgm.inference_result import InferenceResult
from pgm.mean_field import MeanField, MeanFieldResult
from pgm.result import BeliefResult
from pgm.tree_reweighted import TreeReweighted, appearance_probabilities
from pgm.variables import Variable, VariableArray

__all__ = [
    "BeliefPropagation",
    "BeliefResult",
    "ContradictionError",
    "DifferentiableInference",
    "Factor",
    "FactorCheckError",
    "FactorGraph",
    "FactorGraphError",
    "FactorRun",
    "FileFormatError",
    "FractionalBeliefPropagation",
    "Inference",
    "InferenceModule",
    "InferenceResult",
    "InferenceWarning",
    "MeanField",
    "MeanFieldResult",
    "PgmError",
    "PotentialError",
    "PotentialWarning",
    "TooLargeError",
    "TreeReweighted",
    "UnavailableError",
    "Variable",
    "VariableArray",
    "appearance_probabilities",
    "check_factor",
]

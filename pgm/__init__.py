"""Factor graphs, belief propagation and learning through it.

Names are imported when they are first used, so that the shell starts without NumPy.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from pgm.factor import Factor
    from pgm.factor_run import FactorRun
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

_MODULES = {
    "belief_propagation": ("BeliefPropagation",),
    "check": ("FactorCheckError", "check_factor"),
    "errors": (
        "ContradictionError",
        "FactorGraphError",
        "FileFormatError",
        "InferenceWarning",
        "PgmError",
        "PotentialError",
        "PotentialWarning",
        "TooLargeError",
        "UnavailableError",
    ),
    "factor": ("Factor",),
    "factor_run": ("FactorRun",),
    "fractional": ("FractionalBeliefPropagation",),
    "graph": ("FactorGraph",),
    "inference": ("DifferentiableInference", "Inference"),
    "inference_module": ("InferenceModule",),
    "inference_result": ("InferenceResult",),
    "mean_field": ("MeanField", "MeanFieldResult"),
    "result": ("BeliefResult",),
    "tree_reweighted": ("TreeReweighted", "appearance_probabilities"),
    "variables": ("Variable", "VariableArray"),
}
_HOME = {name: f"pgm.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pgm' has no attribute {name!r}")
    globals()[name] = value = vars(importlib.import_module(_HOME[name]))[name]  # the next time it is there
    return value


def __dir__() -> list[str]:
    return __all__

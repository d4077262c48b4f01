"""Ways of inference for dependency models, one a file."""

from nlp.deps.inference.base import DependencyInference
from nlp.deps.inference.exact import ExactInference
from nlp.deps.inference.loopy import LoopyInference

__all__ = ["DependencyInference", "ExactInference", "LoopyInference"]

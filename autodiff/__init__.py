"""Module-based reverse-mode differentiation on whole arrays: modules, circuits and the gradient check."""

from autodiff.adjoints import Adjoints
from autodiff.arrays import Adjoint, Array, unbroadcast
from autodiff.circuit import Circuit, Wire
from autodiff.errors import (
    AutodiffError,
    CircuitError,
    DomainError,
    GradientCheckError,
    ModuleError,
)
from autodiff.gradient_check import check_gradients
from autodiff.gradient_report import GradientReport, Place
from autodiff.hashed_parameter import HashedParameter
from autodiff.module import Backward, Module
from autodiff.parameter import Parameter
from autodiff.sparse import SparseAdjoint

__all__ = [
    "Adjoint",
    "Adjoints",
    "Array",
    "AutodiffError",
    "Backward",
    "Circuit",
    "CircuitError",
    "DomainError",
    "GradientCheckError",
    "GradientReport",
    "HashedParameter",
    "Module",
    "ModuleError",
    "Parameter",
    "Place",
    "SparseAdjoint",
    "Wire",
    "check_gradients",
    "unbroadcast",
]

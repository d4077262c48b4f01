"""Module-based reverse-mode differentiation on whole arrays: modules, circuits and the gradient check."""

from autodiff.arrays import Adjoint, Array, unbroadcast
from autodiff.circuit import Circuit, Wire
from autodiff.errors import (
    AutodiffError,
    BackwardBeforeForwardError,
    CircuitError,
    DomainError,
    GradientCheckError,
)
from autodiff.gradient_check import check_gradients
from autodiff.gradient_report import GradientReport, Place
from autodiff.hashed_parameter import HashedParameter
from autodiff.module import Module
from autodiff.parameter import Parameter
from autodiff.sparse import SparseAdjoint

__all__ = [
    "Adjoint",
    "Array",
    "AutodiffError",
    "BackwardBeforeForwardError",
    "Circuit",
    "CircuitError",
    "DomainError",
    "GradientCheckError",
    "GradientReport",
    "HashedParameter",
    "Module",
    "Parameter",
    "Place",
    "SparseAdjoint",
    "Wire",
    "check_gradients",
    "unbroadcast",
]

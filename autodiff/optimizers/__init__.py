"""Optimisers on dense and on sparse (hashed) gradients, their stores and schedules, and the learning-rate search."""

from autodiff.optimizers.adagrad import AdaGrad
from autodiff.optimizers.adam import Adam
from autodiff.optimizers.errors import (
    DivergenceError,
    GradientError,
    LearningRateWarning,
    NonFiniteGradientError,
    OptimizerError,
    StateMismatchError,
)
from autodiff.optimizers.gradient_buffer import GradientBuffer
from autodiff.optimizers.lbfgs import LBFGSResult, minimize_lbfgs
from autodiff.optimizers.learning_rate import (
    LearningRateChoice,
    LearningRateTrial,
    choose_learning_rate,
    search_learning_rate,
)
from autodiff.optimizers.optimizer import Optimizer
from autodiff.optimizers.parameter_store import ParameterStore
from autodiff.optimizers.scheduled_optimizer import ScheduledOptimizer
from autodiff.optimizers.schedules import (
    Constant,
    ExponentialDecay,
    InverseDecay,
    InverseSquareRoot,
    RateSchedule,
    StepDecay,
    WarmupDecay,
)
from autodiff.optimizers.sgd import SGD
from autodiff.optimizers.shrinkage import ExplicitShrinkage, ImplicitShrinkage, Shrinkage
from autodiff.optimizers.state_files import load_state, save_state
from autodiff.optimizers.step import Step

__all__ = [
    "SGD",
    "AdaGrad",
    "Adam",
    "Constant",
    "DivergenceError",
    "ExplicitShrinkage",
    "ExponentialDecay",
    "GradientBuffer",
    "GradientError",
    "ImplicitShrinkage",
    "InverseDecay",
    "InverseSquareRoot",
    "LBFGSResult",
    "LearningRateChoice",
    "LearningRateTrial",
    "LearningRateWarning",
    "NonFiniteGradientError",
    "Optimizer",
    "OptimizerError",
    "ParameterStore",
    "RateSchedule",
    "ScheduledOptimizer",
    "Shrinkage",
    "StateMismatchError",
    "Step",
    "StepDecay",
    "WarmupDecay",
    "choose_learning_rate",
    "load_state",
    "minimize_lbfgs",
    "save_state",
    "search_learning_rate",
]

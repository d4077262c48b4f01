"""What can go wrong while optimising, each named by its meaning."""

from autodiff.errors import AutodiffError, InputError

__all__ = [
    "DivergenceError",
    "GradientError",
    "LearningRateWarning",
    "NonFiniteGradientError",
    "OptimizerError",
    "StateMismatchError",
]


class OptimizerError(AutodiffError, InputError, ValueError):
    """Base of every error of the optimisers; also a setting or a parameter that cannot work."""


class GradientError(OptimizerError):
    """A gradient does not fit its parameter: unknown name, wrong shape, wrong type, index out of range."""


class NonFiniteGradientError(GradientError):
    """A gradient holds NaN or an infinity."""


class DivergenceError(OptimizerError):
    """A learning rate is too high, or an update or an objective leaves the finite numbers."""


class StateMismatchError(OptimizerError):
    """A saved state belongs to an optimiser of another class, with other settings, or is incomplete."""


class LearningRateWarning(UserWarning):
    """A learning-rate search ended without a rate that it can vouch for."""

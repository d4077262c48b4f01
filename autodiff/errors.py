"""What can go wrong in `autodiff`, each named by its meaning."""

__all__ = [
    "AutodiffError",
    "CircuitError",
    "DomainError",
    "GradientCheckError",
    "InputError",
    "ModuleError",
]


class InputError(Exception):
    """Base of the errors, in all packages, that input or options can cause: a command says them in one line."""


class AutodiffError(Exception):
    """Base of every error that this package raises on purpose."""


class CircuitError(AutodiffError, ValueError):
    """A circuit is wired or called in a way that cannot work."""


class DomainError(AutodiffError, ValueError):
    """A module was given a value, an index or a shape for which its function is not defined."""


class GradientCheckError(AutodiffError, AssertionError):
    """A module's backward pass does not agree with finite differences, or breaks the contract of `Module`."""


class ModuleError(AutodiffError, TypeError):
    """What a module's `forward` returned is no pair of an output and a function for the way back."""

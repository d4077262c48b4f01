"""What can go wrong in `autodiff`, each named by its meaning."""

__all__ = ["AutodiffError", "BackwardBeforeForwardError", "CircuitError"]


class AutodiffError(Exception):
    """Base of every error that this package raises on purpose."""


class BackwardBeforeForwardError(AutodiffError):
    """`backward` needs what `forward` kept, and no forward pass has been run."""


class CircuitError(AutodiffError, ValueError):
    """A circuit is wired or called in a way that cannot work."""

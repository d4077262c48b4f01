"""What can go wrong in `pgm`, each named by its meaning."""

from autodiff.errors import InputError

__all__ = [
    "ContradictionError",
    "FactorGraphError",
    "FileFormatError",
    "InferenceWarning",
    "PgmError",
    "PotentialError",
    "PotentialWarning",
    "TooLargeError",
    "UnavailableError",
]


class PgmError(InputError):
    """Base of every error that this package raises on purpose."""


class FactorGraphError(PgmError, ValueError):
    """A factor graph is put together or asked in a way that cannot work."""


class VariableIndexError(FactorGraphError, IndexError):
    """An array of variables has none in the place that was asked for."""


class PotentialError(PgmError, ValueError):
    """Log-potentials of the wrong shape, or with a value that is none (NaN or +inf)."""


class PotentialWarning(UserWarning):
    """Log-potentials that look like something else: probabilities, of which nobody took the logarithm."""


class ContradictionError(PgmError, ValueError):
    """Nothing satisfies all factors; the message names the factor or variable where that was seen."""


class TooLargeError(PgmError, ValueError):
    """An exact method would need more memory than it may take; the message says how much."""


class UnavailableError(FactorGraphError):
    """A method, or a run with these settings, cannot give what is asked; the message says which can."""


class FileFormatError(PgmError, ValueError):
    """A file does not have the format that it should have; the message says `file:line: what, what was expected`."""


class InferenceWarning(UserWarning):
    """Inference does what was asked, but the answer is hardly what was meant."""

"""What can go wrong while learning."""

from pgm.errors import FactorGraphError, PgmError

__all__ = ["GoldError", "TrainingError", "UnboundedLossWarning"]


class GoldError(FactorGraphError):
    """What an example says is right does not fit its graph, or what the objective needs."""


class TrainingError(PgmError, RuntimeError):
    """Training cannot go on; the message says at which example."""


class UnboundedLossWarning(UserWarning):
    """Losses are below what they can be: the log-partition of inference is too small, and its gradient leads astray."""

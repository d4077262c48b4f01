"""What can go wrong while learning."""

from pgm.errors import FactorGraphError, PgmError

__all__ = ["GoldError", "TrainingDivergedError", "TrainingError", "UnboundedLossWarning"]


class GoldError(FactorGraphError):
    """What an example says is right does not fit its graph, or what the objective needs."""


class TrainingError(PgmError, RuntimeError):
    """Training cannot go on; the message says at which example."""


class TrainingDivergedError(TrainingError):
    """Parameters have grown beyond all bounds, or are no numbers any more."""

    def __init__(self, what: str) -> None:
        super().__init__(f"training diverges: {what}; use a lower learning rate, or larger batches")


class UnboundedLossWarning(UserWarning):
    """Losses are below what they can be: the log-partition of inference is too small, and its gradient leads astray."""

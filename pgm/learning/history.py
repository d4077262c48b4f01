"""How a training went."""

from attrs import field, frozen

__all__ = ["Epoch", "History"]


@frozen
class Epoch:
    """One pass over the examples.

    Attributes
    ----------
    number : from 1 on
    stage : the name of the stage it belongs to
    loss : the mean loss of the examples, each when it was its turn
    development : the score on development data after the epoch, None if there is none
    unconverged : the number of examples whose inference said that it had not converged (on a tree, one iteration is
        exact, but belief propagation only sees that in a second one)
    below : the number of examples whose loss was below what a loss can be (a likelihood above 1): then the Bethe
        log-partition is no guide; training warns of the first epoch with some
    seconds : since the training began
    """

    number: int = field()
    stage: str = field()
    loss: float = field()
    development: float | None = field(default=None)
    unconverged: int = field(default=0)
    below: int = field(default=0)
    seconds: float = field(default=0.0, eq=False)

    def __str__(self) -> str:
        score = "" if self.development is None else f", development {self.development:.4g}"
        return f"epoch {self.number}: {self.stage} loss {self.loss:.4f}{score}, {self.seconds:.0f} s"


@frozen
class History:
    """How training went.

    Attributes
    ----------
    epochs : all that were run
    best : the number of the epoch whose parameters were kept
    stopped_early : whether patience ended a stage before its last epoch
    """

    epochs: tuple[Epoch, ...] = field()
    best: int = field()
    stopped_early: bool = field()

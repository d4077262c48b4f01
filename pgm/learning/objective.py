"""The contract of an objective: a loss on one example, and its gradient by the log-potentials."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.belief_propagation import BeliefPropagation
from pgm.learning.example import Example

__all__ = ["Evaluation", "Objective"]

Floats = NDArray[np.float64]


@frozen(eq=False)
class Evaluation:
    """What an objective says about an example.

    Attributes
    ----------
    loss : to be made small
    adjoints : for each family of the graph, the gradient of the loss by its log-potentials; None for a hard one
    converged : whether inference says that it did; None where a fixed number of iterations is all there is
    """

    loss: float = field()
    adjoints: Sequence[Floats | None] = field(repr=False)
    converged: bool | None = field(default=None)


@frozen
class Objective(ABC):
    """A differentiable loss of the log-potentials of a graph, given what is right in it.

    One of your own is a subclass, best an attrs-frozen one, with `evaluate`.  `check_objective` compares its gradient
    with finite differences.
    """

    least_loss: ClassVar[float] = -np.inf
    """What no loss is below if inference is right: 0 for likelihoods.  Training warns of losses that are."""

    @abstractmethod
    def evaluate(self, example: Example, *, progress: float = 0.0) -> Evaluation:
        """Return the loss and its gradient.

        Parameters
        ----------
        progress : the share of the training that is done, in [0, 1], for what changes in its course
        """

    @classmethod
    def examples(cls) -> Iterable["Objective"]:
        """Yield objectives of this kind whose gradient is exact on a small loopy graph, for the conformance tests."""
        return ()


def sum_product(instance: object, attribute: object, inference: BeliefPropagation) -> None:
    """Refuse, as an attrs validator, inference that gives no marginals, or none to go back through."""
    if not isinstance(inference, BeliefPropagation) or inference.mode != "sum":
        raise ValueError(f"{type(instance).__name__}: inference is BeliefPropagation(mode='sum', …), not {inference!r}")

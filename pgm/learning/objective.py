"""The contract of an objective: a loss on one instance, and its gradient by the scores."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats
from autodiff.named import Named
from pgm.learning.instance import Instance, Scores

__all__ = ["Objective", "ObjectiveValue", "subtract"]


@frozen(eq=False)
class ObjectiveValue:
    """What an objective says about an instance.

    Attributes
    ----------
    loss : to be made small
    adjoints : by kind of parts, the gradient of the loss by their scores; a kind that is left out has none
    converged : whether inference says that it did; None where a fixed number of iterations is all there is
    """

    loss: float = field()
    adjoints: Scores = field(repr=False)
    converged: bool | None = field(default=None)


@frozen
class Objective(Named, ABC):
    """A differentiable loss of the scores of an instance's parts, given what is right in it.

    One of your own is a subclass, best an attrs-frozen one, with `evaluate`; with a `name`, commands know it by that.
    `check_objective` compares its gradient with finite differences.
    """

    least_loss: ClassVar[float] = -np.inf
    """What no loss is below if inference is right: 0 for likelihoods.  Training warns of losses that are."""

    @abstractmethod
    def evaluate(self, instance: Instance, scores: Mapping[Any, Floats], *, progress: float = 0.0) -> ObjectiveValue:
        """Return the loss and its gradient.

        Parameters
        ----------
        progress : the share of the training that is done, in [0, 1], for what changes in its course
        """

    @classmethod
    def examples(cls) -> Iterable["Objective"]:
        """Yield objectives of this kind, for the conformance tests: their gradient is exact where inference is."""
        return ()


def subtract(first: Mapping[Any, Floats], second: Mapping[Any, Floats]) -> Scores:
    """Return the difference of what belongs to the same parts.

    >>> subtract({"arc": np.array([1.0, 0.5])}, {"arc": np.array([1.0, 0.0])})
    {'arc': array([0. , 0.5])}
    """
    return {kind: values - second[kind] for kind, values in first.items()}

"""The contract of a scorer: from an instance to the scores of its parts, and gradients the other way."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from autodiff import Adjoint, Parameter
from autodiff.optimizers import GradientBuffer
from pgm.learning.instance import Instance, Scores

if TYPE_CHECKING:
    from pgm.learning.structured_model import StructuredModel

__all__ = ["Gradients", "Scorer", "ScoresBackward"]

Rows = Mapping[str, "NDArray[np.int64] | None"]


class Gradients(Protocol):
    """Where gradients by parameters are gathered: a `ParameterStore`, or `GradientSum`."""

    def wants(self, name: str) -> bool:
        """Tell whether a parameter is learned: the gradients of others need not be computed."""

    def add(self, name: str, adjoint: Adjoint) -> None:
        """Add to the gradient of a parameter."""

    def buffer(self, name: str) -> GradientBuffer:
        """Return where the gradient of a hashed parameter is gathered by compiled loops."""


ScoresBackward = Callable[[Mapping[Any, "NDArray[np.float64]"], Gradients], None]
"""Takes the adjoints of scores, and adds the gradients by the parameters."""


class Scorer(ABC):
    """Scores the parts of instances, and owns the parameters of that."""

    @abstractmethod
    def parameters(self, instances: Iterable[Instance]) -> dict[str, Parameter]:
        """Return what is learned, by name.

        Parameters
        ----------
        instances : of the training data, for scorers that find their parameters there
        """

    @abstractmethod
    def score(self, instance: Instance, *, rng: np.random.Generator | None = None) -> tuple[Scores, ScoresBackward]:
        """Return the scores of all parts by kind, and the way back from their adjoints.

        Parameters
        ----------
        rng : given in training, to scorers that leave something out at random
        """

    def reads(self, instance: Instance) -> Rows | None:
        """Return the rows of each parameter that `score` will read (None for all): what lazy updates must catch up.

        By default all rows of all parameters, which is None.
        """
        return None

    @classmethod
    def examples(cls, rng: np.random.Generator) -> "Iterable[tuple[StructuredModel, Any]]":
        """Yield small models with such a scorer, each with an input of which everything is known, for the tests."""
        return ()

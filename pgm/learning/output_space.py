"""The contract of an output space: the answers among which a decoder chooses."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodiff.array_types import Floats

__all__ = ["OutputSpace"]

Backward = Callable[[Floats], Floats]


class OutputSpace(ABC):
    """All answers for one input, each a set of events out of B.

    `soften` turns beliefs into a distribution over the answers, which comes closer to what `search` finds as the
    temperature falls to 0, and can be differentiated (Gormley et al. 2015, eq. 10).
    """

    @abstractmethod
    def search(self, values: Floats) -> Any:
        """Return the answer with the greatest sum of values (B,) over its events."""

    @abstractmethod
    def soften(self, beliefs: Floats, temperature: float) -> tuple[Floats, Backward]:
        """Return the marginals (B,) of that distribution, and a function from their adjoint to that of the beliefs."""

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple["OutputSpace", Floats]]:
        """Yield small spaces and beliefs, on which the conformance tests check the gradients of `soften`."""
        return ()

"""The contract of a decoder: from beliefs to one assignment, and softly to a distribution over assignments."""

from abc import abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autodiff import Module
from pgm.graph import FactorGraph

__all__ = ["Decoder", "MakeDecoder"]

Floats = NDArray[np.float64]


class Decoder(Module):
    """Decodes the beliefs of all variables of one graph, (states,) in one array.

    As a module it maps beliefs to the marginals (states,) of a distribution over what could be decoded, which comes
    closer to what `decode` returns as the temperature falls to 0, and can be differentiated.
    """

    @abstractmethod
    def decode(self, beliefs: Floats) -> NDArray[np.int64]:
        """Return (variables,): the assignment of least expected loss."""


class MakeDecoder(Protocol):
    """Makes a decoder for a graph: a class like `VariableDecoder`, or a function of yours."""

    def __call__(self, graph: FactorGraph, temperature: float = 1.0) -> Decoder:
        """Return a decoder."""

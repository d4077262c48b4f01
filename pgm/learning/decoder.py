"""The contract of a decoder: from beliefs to one assignment, and softly to a distribution over assignments."""

from abc import abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff import Module
from autodiff.conversion import as_floats
from pgm.graph import FactorGraph

__all__ = ["Decoder", "MakeDecoder"]

Floats = NDArray[np.float64]


class Decoder(Module):
    """Decodes the beliefs of all variables of one graph, (states,) in one array.

    As a module it maps beliefs to the marginals (states,) of a distribution over what could be decoded, which comes
    closer to what `decode` returns as the temperature falls to 0, and can be differentiated.
    """

    graph: FactorGraph

    def checked(self, values: ArrayLike, what: str) -> Floats:
        """Return what is given for all states of the graph as (states,) floats, or say what is wrong with it."""
        states = int(self.graph.cardinalities.sum())
        return as_floats(values, f"{type(self).__name__}: {what} of all states", shape=(states,))

    @abstractmethod
    def decode(self, beliefs: Floats) -> NDArray[np.int64]:
        """Return (variables,): the assignment of least expected loss."""


class MakeDecoder(Protocol):
    """Makes a decoder for a graph: a class like `VariableDecoder`, or a function of yours."""

    def __call__(self, graph: FactorGraph, temperature: float = 1.0) -> Decoder:
        """Return a decoder."""

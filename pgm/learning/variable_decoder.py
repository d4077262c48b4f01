"""Each variable for itself: what is best for Hamming loss."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autodiff import Backward, Module
from autodiff.conversion import as_number
from pgm.graph import FactorGraph
from pgm.learning.decoder import Decoder
from pgm.learning.example import state_starts

__all__ = ["VariableDecoder"]

Floats = NDArray[np.float64]


class VariableDecoder(Decoder):
    """Decode each variable to its most probable state; softly, q_i(y) ∝ b_i(y)^(1/T).

    Examples
    --------
    >>> graph = FactorGraph()
    >>> _ = graph.variables("x", 2)
    >>> beliefs = np.array([0.2, 0.8, 0.6, 0.4])
    >>> VariableDecoder(graph).decode(beliefs)
    array([1, 0])
    >>> VariableDecoder(graph, 0.5)(beliefs).round(3)
    array([0.059, 0.941, 0.692, 0.308])
    """

    def __init__(self, graph: FactorGraph, temperature: float = 1.0) -> None:
        self.graph = graph
        self.temperature = as_number(temperature, f"{type(self).__name__}: temperature", above=0)
        self.start = state_starts(graph)
        self.of_state = np.repeat(np.arange(graph.num_variables), graph.cardinalities)

    def forward(self, beliefs: Floats) -> tuple[Floats, Backward]:
        """Return the marginals."""
        beliefs = self.checked(beliefs, "beliefs")
        with np.errstate(divide="ignore"):
            scores = np.log(beliefs) / self.temperature
        weights = np.exp(scores - np.maximum.reduceat(scores, self.start[:-1])[self.of_state])
        marginals = weights / np.add.reduceat(weights, self.start[:-1])[self.of_state]

        def backward(adjoint: Floats) -> tuple[Floats]:
            """Return the adjoint of the beliefs."""
            adjoint = self.checked(adjoint, "the adjoint")
            mean = np.add.reduceat(adjoint * marginals, self.start[:-1])[self.of_state]
            # A state of belief 0 has no marginal either, and nothing to learn from.
            ratios = np.divide(marginals, beliefs, out=np.zeros_like(beliefs), where=marginals > 0)
            return (ratios * (adjoint - mean) / self.temperature,)

        return marginals, backward

    def decode(self, beliefs: Floats) -> NDArray[np.int64]:
        """Return the states of greatest belief, the first of equals."""
        parts = np.split(self.checked(beliefs, "beliefs"), self.start[1:-1])
        return np.array([int(np.argmax(belief)) for belief in parts], dtype=np.int64)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple[Module, tuple[Any, ...]]]:
        """Yield variables of two and of three states."""
        graph = FactorGraph()
        graph.variables("x", 2)
        graph.variable("y", 3)
        yield cls(graph, 0.4), (rng.uniform(0.1, 1.0, size=7),)

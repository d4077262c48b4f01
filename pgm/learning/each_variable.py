"""Each variable for itself: what is best for Hamming loss."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.array_types import Floats
from autodiff.conversion import as_floats, as_number
from pgm.graph import FactorGraph
from pgm.learning.output_space import Backward, OutputSpace

__all__ = ["EachVariable"]


class EachVariable(OutputSpace):
    """All assignments of a graph's variables; softly, q_i(y) ∝ b_i(y)^(1/T) for each variable by itself.

    Events are the states of all variables.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> _ = graph.variables("x", 2)
    >>> beliefs = np.array([0.2, 0.8, 0.6, 0.4])
    >>> EachVariable(graph).search(beliefs)
    array([1, 0])
    >>> EachVariable(graph).soften(beliefs, 0.5)[0].round(3)
    array([0.059, 0.941, 0.692, 0.308])
    """

    def __init__(self, graph: FactorGraph) -> None:
        self.graph = graph
        self.start = graph.state_starts
        self.of_state = np.repeat(np.arange(graph.num_variables), graph.cardinalities)

    def checked(self, values: ArrayLike, what: str) -> Floats:
        """Return what is given for all states of the graph as (states,) floats, or say what is wrong with it."""
        return as_floats(values, f"{type(self).__name__}: {what} of all states", shape=(len(self.of_state),))

    def search(self, values: Floats) -> Any:
        """Return (variables,): the states of greatest value, the first of equals."""
        parts = np.split(self.checked(values, "values"), self.start[1:-1])
        return np.array([int(np.argmax(own)) for own in parts], dtype=np.int64)

    def soften(self, beliefs: Floats, temperature: float) -> tuple[Floats, Backward]:
        """Return the marginals of the variables, and the way back."""
        beliefs = self.checked(beliefs, "beliefs")
        temperature = as_number(temperature, f"{type(self).__name__}: temperature", above=0)
        with np.errstate(divide="ignore"):
            scores = np.log(beliefs) / temperature
        weights = np.exp(scores - np.maximum.reduceat(scores, self.start[:-1])[self.of_state])
        marginals = weights / np.add.reduceat(weights, self.start[:-1])[self.of_state]

        def backward(adjoint: Floats) -> Floats:
            adjoint = self.checked(adjoint, "the adjoint")
            mean = np.add.reduceat(adjoint * marginals, self.start[:-1])[self.of_state]
            # A state of belief 0 has no marginal either, and nothing to learn from.
            ratios = np.divide(marginals, beliefs, out=np.zeros_like(beliefs), where=marginals > 0)
            return np.asarray(ratios * (adjoint - mean) / temperature)

        return marginals, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple[OutputSpace, Floats]]:
        """Yield variables of two and of three states."""
        graph = FactorGraph()
        graph.variables("x", 2)
        graph.variable("y", 3)
        yield cls(graph), rng.uniform(0.1, 1.0, size=7)

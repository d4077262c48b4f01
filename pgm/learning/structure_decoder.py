"""Decoding into a structure, such as a tree (Gormley et al. 2015, eqs 3 and 10)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff import Backward, Module
from autodiff.conversion import as_integers, as_number
from autodiff.sparse import sum_rows
from hypergraph.algorithms import viterbi
from hypergraph.modules import Marginals
from hypergraph.structure import Structure
from pgm.graph import FactorGraph
from pgm.learning.decoder import Decoder
from pgm.learning.errors import GoldError
from pgm.learning.example import state_starts
from pgm.learning.variable_decoder import VariableDecoder

__all__ = ["StructureDecoder"]

Floats = NDArray[np.float64]


class StructureDecoder(Decoder):
    """Decode the variables of a structure's parts to the structure with the greatest sum of beliefs.

    Softly, a structure has a probability ∝ exp(Σ_parts b(part) / T): eq. 10.  Its marginals come from inside-outside.

    Parameters
    ----------
    graph : of which the beliefs are
    structure : a hypergraph or a structure; if it uses weight w, variable `variables[w]` is in state `states[w]`
    variables : (weights,) numbers of variables, -1 for a weight of no variable, whose score is 0
    states : (weights,) or one for all
    default : the state of a variable if the structure uses none of its weights
    possible : (weights,) which weights may be used; by default all
    temperature : T

    Variables that no weight uses are decoded one by one.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> graph = FactorGraph()
    >>> arcs = graph.variables("arc", (3, 3))                      # [head, modifier]; the root is 0
    >>> beliefs = np.stack([np.full(9, 0.5), [0, 0.4, 0.4, 0, 0, 0.6, 0, 0.3, 0]], axis=1).ravel()
    >>> decoder = StructureDecoder(graph, ProjectiveTrees(2), arcs.index.ravel())
    >>> decoder.decode(beliefs).reshape(3, 3)                      # the root has word 1, which has word 2
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """

    def __init__(
        self,
        graph: FactorGraph,
        structure: Structure,
        variables: ArrayLike,
        states: ArrayLike = 1,
        *,
        default: int = 0,
        possible: ArrayLike | None = None,
        temperature: float = 1.0,
    ) -> None:
        self.graph, self.structure, self.default = graph, structure, default
        self.temperature = as_number(temperature, "StructureDecoder: temperature", above=0)
        self.variables = as_integers(variables, "StructureDecoder: variables", GoldError).ravel()
        if self.variables.shape != (structure.num_weights,):
            raise GoldError(f"{len(self.variables)} variables for the {structure.num_weights} weights of {structure!r}")
        if self.variables.max() >= graph.num_variables:
            raise GoldError(f"StructureDecoder: variables has {self.variables.max()}; there are {graph.num_variables}")
        self.states = self._states(states)
        self.possible = np.broadcast_to(
            True if possible is None else np.asarray(possible).ravel(), self.variables.shape
        )
        self.start = state_starts(graph)
        self.used = np.flatnonzero(self.variables >= 0)  # weights
        self.place = self.start[self.variables[self.used]] + self.states[self.used]
        covered = np.zeros(graph.num_variables, dtype=np.bool_)
        covered[self.variables[self.used]] = True
        self.covered = np.repeat(covered, graph.cardinalities)
        self.of_state = np.repeat(np.arange(graph.num_variables), graph.cardinalities)
        # A variable whose default state no weight stands for is in it whenever none of its weights is used.
        rest = np.setdiff1d(self.start[:-1][covered] + default, self.place)
        self.rest = np.zeros(len(self.covered), dtype=np.bool_)
        self.rest[rest] = True
        self.others = VariableDecoder(graph, temperature)
        self.marginals = Marginals(structure)

    def _states(self, given: ArrayLike) -> NDArray[np.int64]:
        states = as_integers(given, "StructureDecoder: states", GoldError).ravel()
        if len(states) not in (1, len(self.variables)):
            raise GoldError(f"StructureDecoder: {len(states)} states for {len(self.variables)} weights")
        states = np.broadcast_to(states, self.variables.shape)
        cardinalities = self.graph.cardinalities[self.variables.clip(min=0)]
        wrong = (self.variables >= 0) & ((states < 0) | (states >= cardinalities))
        if wrong.any():
            variable = self.graph.variable_at(int(self.variables[wrong][0]))
            raise GoldError(f"StructureDecoder: states has {states[wrong][0]}; {variable.name!r} has no such state")
        return states

    def forward(self, beliefs: Floats) -> tuple[Floats, Backward]:
        """Return the marginals."""
        beliefs = self.checked(beliefs, "beliefs")
        (_, uses), uses_backward = self.marginals.forward(self._scores(beliefs) / self.temperature)
        apart, apart_backward = self.others.forward(beliefs)
        marginals = sum_rows(self.place, uses[self.used], len(beliefs))
        of_variable = np.add.reduceat(marginals, self.start[:-1])
        marginals = np.where(self.rest, 1.0 - of_variable[self.of_state], marginals)

        def backward(adjoint: Floats) -> tuple[Floats]:
            """Return the adjoint of the beliefs."""
            adjoint = self.checked(adjoint, "the adjoint")
            inside = np.where(self.covered, adjoint, 0.0)
            of_rest = np.add.reduceat(np.where(self.rest, inside, 0.0), self.start[:-1])[self.of_state]
            on_uses = np.zeros(self.structure.num_weights)
            on_uses[self.used] = np.where(self.rest, 0.0, inside - of_rest)[self.place]
            (on_scores,) = uses_backward(None, on_uses)
            on_beliefs = sum_rows(self.place, on_scores.ravel()[self.used] / self.temperature, len(adjoint))
            (on_others,) = apart_backward(np.where(self.covered, 0.0, adjoint))
            return (on_beliefs + on_others,)

        return np.where(self.covered, marginals, apart), backward

    def decode(self, beliefs: Floats) -> NDArray[np.int64]:
        """Return the best structure's states."""
        beliefs = self.checked(beliefs, "beliefs")
        assignment = self.others.decode(beliefs)
        assignment[self.variables[self.used]] = self.default
        chosen = viterbi(self.structure, self._scores(beliefs)).weights
        chosen = chosen[self.variables[chosen] >= 0]
        assignment[self.variables[chosen]] = self.states[chosen]
        return assignment

    def _scores(self, beliefs: Floats) -> Floats:
        scores = np.zeros(self.structure.num_weights)
        scores[self.used] = beliefs[self.place]
        scores[~self.possible] = -np.inf
        return scores

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple[Module, tuple[Any, ...]]]:
        """Yield trees with an arc that is pruned, beside a variable of its own."""
        from hypergraph.structures import ProjectiveTrees

        graph = FactorGraph()
        graph.variables("arc", (3, 3))
        graph.variable("label", 3)
        possible = np.arange(9) != 5
        yield (
            cls(graph, ProjectiveTrees(2), np.arange(9), possible=possible, temperature=0.3),
            (rng.uniform(0.1, 0.9, size=21),),
        )

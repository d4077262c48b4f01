"""The structures, such as trees, that the states of some variables make (Gormley et al. 2015, eqs 3 and 10)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_integers, as_number
from autodiff.sparse import sum_rows
from hypergraph.algorithms import viterbi
from hypergraph.structure import Structure
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.graph import FactorGraph
from pgm.learning.each_variable import EachVariable
from pgm.learning.errors import GoldError
from pgm.learning.output_space import Backward, OutputSpace

__all__ = ["StructuredOutput"]


class StructuredOutput(OutputSpace):
    """The assignments in which the variables of a structure's parts make one of its structures.

    Softly, a structure has a probability ∝ exp(Σ_parts b(part) / T): eq. 10.  Its marginals come from inside-outside.
    Events are the states of all variables.

    Parameters
    ----------
    graph : of which the beliefs are
    structure : a hypergraph or a structure; if it uses weight w, variable `variables[w]` is in state `states[w]`
    variables : (weights,) numbers of variables, -1 for a weight of no variable, whose score is 0
    states : (weights,) or one for all
    default : the state of a variable if the structure uses none of its weights
    possible : (weights,) which weights may be used; by default all

    Variables that no weight uses are decoded one by one.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> graph = FactorGraph()
    >>> arcs = graph.variables("arc", (3, 3))                      # [head, modifier]; the root is 0
    >>> beliefs = np.stack([np.full(9, 0.5), [0, 0.4, 0.4, 0, 0, 0.6, 0, 0.3, 0]], axis=1).ravel()
    >>> space = StructuredOutput(graph, ProjectiveTrees(2), arcs.index.ravel())
    >>> space.search(beliefs).reshape(3, 3)                        # the root has word 1, which has word 2
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
    ) -> None:
        self.graph, self.structure, self.default = graph, structure, default
        self.variables = as_integers(variables, "StructuredOutput: variables", GoldError).ravel()
        if self.variables.shape != (structure.num_weights,):
            raise GoldError(f"{len(self.variables)} variables for the {structure.num_weights} weights of {structure!r}")
        if self.variables.max() >= graph.num_variables:
            raise GoldError(f"StructuredOutput: variables has {self.variables.max()}; there are {graph.num_variables}")
        self.states = self._states(states)
        self.possible = np.broadcast_to(
            True if possible is None else np.asarray(possible).ravel(), self.variables.shape
        )
        self.start = graph.state_starts
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
        self.others = EachVariable(graph)

    @classmethod
    def of(cls, factor: HypergraphFactor, row: int = 0) -> "StructuredOutput":
        """Return the assignments of a factor's graph of which the factor allows its own part.

        Parameters
        ----------
        factor : in a graph
        row : which one, of a family of several

        Examples
        --------
        >>> from pgm.factors import Constituency, all_spans
        >>> graph = FactorGraph()
        >>> spans = graph.variables("span", len(all_spans(3)))
        >>> brackets = graph.add(Constituency(spans, 3))
        >>> StructuredOutput.of(brackets).search(np.array([0.9, 0.1, 0.5, 0.5, 0.3, 0.7]))
        array([0, 1, 1])
        """
        if factor.graph is None:
            raise GoldError(f"StructuredOutput: the variables of {factor!r} are in no graph")
        uses, variables = factor.uses, factor.variables[row]
        used = uses.position >= 0
        states = np.where(used, uses.slot - factor.offsets[uses.position], 0)
        defaults = np.unique((uses.default_slot - factor.offsets[:-1])[uses.default_slot >= 0])
        if len(defaults) > 1:
            raise GoldError(f"StructuredOutput: {factor!r} has different default states, {defaults.tolist()}")
        return cls(
            factor.graph, factor.structure, np.where(used, variables[uses.position], -1), states,
            default=int(defaults[0]) if len(defaults) else 0, possible=uses.possible,
        )  # fmt: skip

    def _states(self, given: ArrayLike) -> NDArray[np.int64]:
        states = as_integers(given, "StructuredOutput: states", GoldError).ravel()
        if len(states) not in (1, len(self.variables)):
            raise GoldError(f"StructuredOutput: {len(states)} states for {len(self.variables)} weights")
        states = np.broadcast_to(states, self.variables.shape)
        cardinalities = self.graph.cardinalities[self.variables.clip(min=0)]
        wrong = (self.variables >= 0) & ((states < 0) | (states >= cardinalities))
        if wrong.any():
            variable = self.graph.variable_at(int(self.variables[wrong][0]))
            raise GoldError(f"StructuredOutput: states has {states[wrong][0]}; {variable.name!r} has no such state")
        return states

    def search(self, values: Floats) -> Any:
        """Return (variables,): the states of the best structure."""
        values = self.others.checked(values, "values")
        assignment = self.others.search(values)
        assignment[self.variables[self.used]] = self.default
        chosen = viterbi(self.structure, self._scores(values)).weights
        chosen = chosen[self.variables[chosen] >= 0]
        assignment[self.variables[chosen]] = self.states[chosen]
        return assignment

    def soften(self, beliefs: Floats, temperature: float) -> tuple[Floats, Backward]:
        """Return the marginals, and the way back."""
        temperature = as_number(temperature, "StructuredOutput: temperature", above=0)
        apart, backward_apart = self.others.soften(beliefs, temperature)
        chart = self.structure.run(self.structure.check_weights(self._scores(np.asarray(beliefs)) / temperature))
        uses = sum_rows(self.place, chart.weight_marginals[self.used], len(apart))
        of_variable = np.add.reduceat(uses, self.start[:-1])
        together = np.where(self.rest, 1.0 - of_variable[self.of_state], uses)

        def backward(adjoint: Floats) -> Floats:
            adjoint = self.others.checked(adjoint, "the adjoint")
            inside = np.where(self.covered, adjoint, 0.0)
            of_rest = np.add.reduceat(np.where(self.rest, inside, 0.0), self.start[:-1])[self.of_state]
            on_uses = np.zeros(self.structure.num_weights)
            on_uses[self.used] = np.where(self.rest, 0.0, inside - of_rest)[self.place]
            on_scores = chart.backward(on_uses)
            on_beliefs = sum_rows(self.place, on_scores[self.used] / temperature, len(adjoint))
            return np.asarray(on_beliefs + backward_apart(np.where(self.covered, 0.0, adjoint)))

        return np.where(self.covered, together, apart), backward

    def _scores(self, beliefs: Floats) -> Floats:
        scores = np.zeros(self.structure.num_weights)
        scores[self.used] = beliefs[self.place]
        scores[~self.possible] = -np.inf
        return scores

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable[tuple[OutputSpace, Floats]]:
        """Yield trees with an arc that is pruned, beside a variable of its own."""
        from hypergraph.structures import ProjectiveTrees

        graph = FactorGraph()
        graph.variables("arc", (3, 3))
        graph.variable("label", 3)
        possible = np.arange(9) != 5
        yield cls(graph, ProjectiveTrees(2), np.arange(9), possible=possible), rng.uniform(0.1, 0.9, size=21)

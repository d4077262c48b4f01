"""What the answers of all inference methods have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm.belief_table import BeliefTable
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.variables import Variable, VariableArray

__all__ = ["Beliefs", "labelled", "listed"]

Floats = NDArray[np.float64]


class Beliefs(ABC):
    """Beliefs of the variables of a graph, asked by variables, arrays, names or numbers.

    A subclass has `graph` and `flat_beliefs`; and, where it can, `log_partition`, joint beliefs and those of factors.
    """

    @property
    @abstractmethod
    def graph(self) -> FactorGraph:
        """The graph that was asked."""

    @property
    @abstractmethod
    def flat_beliefs(self) -> Floats:
        """(states,): the beliefs of all variables one after another."""

    @property
    def log_partition(self) -> float:
        """The (natural) logarithm of the partition function, where the method knows it."""
        raise FactorGraphError(f"{type(self).__name__} has no log-partition; ask JunctionTree or BeliefPropagation")

    @property
    def beliefs(self) -> list[Floats]:
        """The belief of each variable, by number."""
        return np.split(self.flat_beliefs, self.graph.state_starts[1:])[:-1]  # the last is what is left: nothing

    def belief(self, of: Variable | VariableArray | str | int | Factor | Sequence[Any]) -> Floats:
        """Return the belief of a variable (states,), of an array of them (…, states), of a factor, or of several.

        Parameters
        ----------
        of : a variable or an array of variables, or its name or number; a factor of the graph, for the beliefs of its
            entries; or a list of single variables (or names), for their joint belief (c_1, …, c_k)
        """
        if isinstance(of, Factor):
            return self._factor_belief(of)
        if isinstance(of, list | tuple):
            numbers = [self.graph.find_one(one).index for one in of]
            check_different(self.graph, numbers)
            return self._joint_belief(numbers) if len(numbers) > 1 else self.belief(numbers[0])
        variables = self.graph.find(of)
        places = self.graph.state_starts[np.asarray(variables.index)][..., None] + np.arange(variables.cardinality)
        return self.flat_beliefs[places]

    def table(self, of: Variable | VariableArray | str | int | Sequence[Any]) -> BeliefTable:
        """Return the belief of a variable, of an array of variables, or jointly of a list of variables, with labels.

        Printed, it is a table; `table["yes"]` is one probability.
        """
        return labelled(self.graph, of, self.belief(of))

    def _factor_belief(self, factor: Factor) -> Floats:
        raise FactorGraphError(
            f"{type(self).__name__} has no beliefs of factors; ask JunctionTree or BeliefPropagation"
        )

    def _joint_belief(self, variables: list[int]) -> Floats:
        """Return (c_1, …, c_k) of variables by their numbers."""
        names = [self.graph.variable_at(v).name for v in variables]
        raise FactorGraphError(
            f"{type(self).__name__} has no joint belief of {names}; ask JunctionTree().query(graph, {names})"
        )

    def _number_of(self, factor: Factor) -> int:
        """Return which family of the graph a factor is."""
        for number, family in enumerate(self.graph.families):
            if family is factor:
                return number
        raise FactorGraphError(f"{factor!r} is not a factor of this graph")


def labelled(graph: FactorGraph, of: Any, probabilities: Floats) -> BeliefTable:
    """Return what `Beliefs.belief` returns for `of`, with labels."""
    if isinstance(of, Factor):
        raise FactorGraphError(f"a table is of variables; ask for those of {of!r} by a list of them")
    if isinstance(of, list | tuple):
        several = [graph.find_one(one) for one in of]
        return BeliefTable(tuple(v.name for v in several), tuple(v.states for v in several), probabilities)
    variables = graph.find(of)
    if isinstance(variables, Variable):
        return BeliefTable((variables.name,), (variables.states,), probabilities)
    names = tuple(graph.variable_at(int(v)).name for v in variables.index.ravel())
    return BeliefTable(
        (variables.name, "state"), (names, variables.states), probabilities.reshape(len(names), variables.cardinality)
    )


def listed(graph: FactorGraph, variables: Any) -> list[Variable]:
    """Return the variables of a query: single ones in a list or an array, or just one."""
    several = isinstance(variables, Iterable | VariableArray) and not isinstance(variables, str)
    return [graph.find_one(one) for one in (variables if several else [variables])]


def check_different(graph: FactorGraph, variables: Sequence[int]) -> None:
    """Refuse a joint belief of no variable, or of one variable twice."""
    if not variables or len(set(variables)) != len(variables):
        names = [graph.variable_at(v).name for v in variables]
        raise FactorGraphError(f"a joint belief is of at least one variable, each once; not of {names}")

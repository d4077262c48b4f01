"""What the answers of all inference methods have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from pgm.belief_table import BeliefTable
from pgm.errors import FactorGraphError, UnavailableError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.variables import Variable, VariableArray

__all__ = ["InferenceResult", "check_different", "labelled", "listed"]


class InferenceResult(ABC):
    """What a method says about a graph: beliefs, a log-partition, an assignment, and the way back to potentials.

    A subclass has `graph`, and whatever else the method can give; what it cannot raises `UnavailableError`, which says
    which methods can.
    """

    @property
    @abstractmethod
    def graph(self) -> FactorGraph:
        """The graph that was asked."""

    @property
    def potentials(self) -> Sequence[Floats | None] | None:
        """The log-potentials that the run was given in place of those of the families; None if they are their own."""
        return None

    @property
    def converged(self) -> bool | None:
        """Whether the method has come to its end; None if it has none, and stops after some steps."""
        return None

    # Beliefs

    @property
    def flat_beliefs(self) -> Floats:
        """(states,): the beliefs of all variables one after another."""
        self._cannot("beliefs of variables", "BeliefPropagation or JunctionTree")

    @property
    def beliefs(self) -> list[Floats]:
        """The belief of each variable, by number."""
        return np.split(self.flat_beliefs, self.graph.state_starts[1:])[:-1]  # the last is what is left: nothing

    @property
    def factor_beliefs(self) -> dict[Factor, Floats]:
        """For each family with log-potentials, in their shape, the belief of each entry.

        They are the gradient of the log-partition: exactly on a graph without cycles, or where belief propagation has
        settled; otherwise a surrogate of it (Wainwright 2006).
        """
        self._cannot("beliefs of factors", "JunctionTree or BeliefPropagation")

    @property
    def log_partition(self) -> float:
        """The (natural) logarithm of the partition function, where the method knows it."""
        self._cannot("log-partition", "JunctionTree or BeliefPropagation")

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

    # An assignment

    def assignment(self) -> NDArray[np.int64]:
        """Return (variables,) state numbers: the method's best assignment, or else the likeliest state of each."""
        return np.array([int(np.argmax(belief)) for belief in self.beliefs], dtype=np.int64)

    @property
    def score(self) -> float:
        """The log-potential of the assignment; -inf if a factor forbids it."""
        return self.graph.score(self.assignment(), potentials=self.potentials)

    def states(self) -> dict[str, Any]:
        """Return the assignment as {name of a variable: label of its state}."""
        variables = [self.graph.variable_at(i) for i in range(self.graph.num_variables)]
        return {v.name: v.states[x] for v, x in zip(variables, self.assignment(), strict=True)}

    def state(self, of: Any) -> Any:
        """Return the label of a variable's state in the assignment; of an array, an array of labels of its shape."""
        variables, assignment = self.graph.find(of), self.assignment()
        if isinstance(variables, Variable):
            return variables.states[assignment[variables.index]]
        labels = np.empty(variables.cardinality, dtype=object)
        labels[:] = variables.states
        return labels[assignment[variables.index]]

    # The way back

    def backward(
        self,
        *,
        beliefs: ArrayLike | None = None,
        factor_beliefs: Mapping[Factor, ArrayLike] | None = None,
        log_partition: float | None = None,
    ) -> dict[Factor, Floats]:
        """Return the adjoints of the log-potentials of every family that has some, given those of what came out.

        Parameters
        ----------
        beliefs : (states,) adjoint of `flat_beliefs`
        factor_beliefs : {family: adjoint of its `factor_beliefs`}; families that are left out have none
        log_partition : adjoint of `log_partition`
        """
        self._cannot("way back to the potentials", "BeliefPropagation or JunctionTree")

    # For subclasses

    def _factor_belief(self, factor: Factor) -> Floats:
        """Return the belief of one family."""
        self._number_of(factor)
        self._cannot("beliefs of factors", "JunctionTree or BeliefPropagation")

    def _joint_belief(self, variables: list[int]) -> Floats:
        """Return (c_1, …, c_k) of variables by their numbers."""
        names = [self.graph.variable_at(v).name for v in variables]
        self._cannot(f"joint belief of {names}", f"JunctionTree().query(graph, {names})")

    def _number_of(self, factor: Factor) -> int:
        """Return which family of the graph a factor is."""
        for number, family in enumerate(self.graph.families):
            if family is factor:
                return number
        raise FactorGraphError(f"{factor!r} is not a factor of this graph")

    def _cannot(self, what: str, able: str) -> NoReturn:
        raise UnavailableError(f"{type(self).__name__} has no {what}; ask {able}")


def labelled(graph: FactorGraph, of: Any, probabilities: Floats) -> BeliefTable:
    """Return what `InferenceResult.belief` returns for `of`, with labels."""
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

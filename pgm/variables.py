"""Discrete variables, one by one or in arrays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.errors import FactorGraphError

if TYPE_CHECKING:
    from pgm.graph import FactorGraph

__all__ = ["Variable", "VariableArray", "as_index"]


@frozen(eq=False)
class Variable:
    """One variable of a factor graph; made by `FactorGraph.variable`.

    Attributes
    ----------
    index : its number in the graph
    states : the names of its states
    """

    graph: "FactorGraph" = field(repr=False)
    index: int = field(repr=False)
    name: str = field()
    states: tuple[Any, ...] = field()

    @property
    def cardinality(self) -> int:
        """The number of states."""
        return len(self.states)

    def state(self, state: Any) -> int:
        """Return the number of a state, given by its name or its number."""
        if state in self.states:
            return self.states.index(state)
        if isinstance(state, int | np.integer) and 0 <= state < len(self.states):
            return int(state)
        raise FactorGraphError(f"variable {self.name!r} has no state {state!r}; its states are {self.states}")


@frozen(eq=False)
class VariableArray:
    """Variables with the same states in an array of any shape; indexed like a NumPy array.

    Attributes
    ----------
    index : the numbers of the variables in the graph, in this shape
    """

    graph: "FactorGraph" = field(repr=False)
    index: NDArray[np.int64] = field(repr=False)
    name: str = field()
    states: tuple[Any, ...] = field()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.index.shape

    @property
    def cardinality(self) -> int:
        """The number of states of each."""
        return len(self.states)

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, key: Any) -> "Variable | VariableArray":
        """Return the variables at `key`, as NumPy would: one Variable, or an array of them."""
        chosen = self.index[key]
        if np.ndim(chosen) == 0:
            return self.graph.variable_at(int(chosen))
        return VariableArray(self.graph, chosen, self.name, self.states)

    def ravel(self) -> "VariableArray":
        """Return the same variables in one dimension."""
        return VariableArray(self.graph, self.index.ravel(), self.name, self.states)


def as_index(variables: "VariableArray | Sequence[Variable | VariableArray]") -> NDArray[np.int64]:
    """Return the numbers of the variables of a family, (factors, degree).

    A VariableArray (factors, degree), or (degree,) for one factor; or a list with one entry for each position:
    Variables (or arrays of one length, one variable for each factor of the family).
    """
    if isinstance(variables, VariableArray):
        index = variables.index
    elif isinstance(variables, np.ndarray) and variables.dtype != object:
        index = np.asarray(variables, dtype=np.int64)
    else:
        columns = [np.asarray(v.index) for v in variables]
        if not columns:
            raise FactorGraphError("a factor needs at least one variable")
        index = np.stack(np.broadcast_arrays(*columns), axis=-1)
    if index.ndim == 1:
        index = index[None]
    if index.ndim != 2:
        raise FactorGraphError(
            f"the variables of a family are (factors, degree), or (degree,) for one factor; not of shape {index.shape}"
        )
    return np.ascontiguousarray(index, dtype=np.int64)


def owner(variables: Any) -> "FactorGraph | None":
    """Return the graph that the variables belong to (None for plain numbers); an error if there are several."""
    if isinstance(variables, Variable | VariableArray):
        return variables.graph
    if isinstance(variables, np.ndarray):
        return None
    graphs = {id(v.graph): v.graph for v in variables}
    if len(graphs) > 1:
        names = [v.name for v in variables]
        raise FactorGraphError(f"the variables {names} belong to different factor graphs")
    return next(iter(graphs.values()), None)

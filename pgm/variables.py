"""Discrete variables, one by one or in arrays."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.errors import FactorGraphError, VariableIndexError

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
        """Return the number of a state, given by its label or (unless labels are whole numbers) by its number."""
        is_label = isinstance(state, Hashable) and state in self.states
        if not is_label and np.ndim(state):
            raise FactorGraphError(f"variable {self.name!r} has one state; {state!r} are several")
        if is_label:
            if not isinstance(state, float) or any(isinstance(label, float) for label in self.states):
                return self.states.index(state)
        elif _is_whole(state) and 0 <= state < len(self.states) and not has_whole_labels(self.states):
            return int(state)
        shown = f"{self.states}" if len(self.states) <= 20 else f"{self.states[:20]} … ({len(self.states)} in all)"
        raise FactorGraphError(f"variable {self.name!r} has no state {state!r}; its states are {shown}")


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

    @property
    def has_whole_labels(self) -> bool:
        """Whether states are named by whole numbers other than 0, 1, …: a whole number is then a label."""
        return has_whole_labels(self.states)

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, key: Any) -> "Variable | VariableArray":
        """Return the variables at `key`, as NumPy would: one Variable, or an array of them."""
        try:
            chosen = self.index[key]
        except IndexError as error:
            raise VariableIndexError(f"{self.name!r} has variables in the shape {self.shape}: {error}") from None
        if np.ndim(chosen) == 0:
            return self.graph.variable_at(int(chosen))
        return VariableArray(self.graph, chosen, self.name, self.states)

    def ravel(self) -> "VariableArray":
        """Return the same variables in one dimension."""
        return VariableArray(self.graph, self.index.ravel(), self.name, self.states)


def as_index(variables: Any) -> NDArray[np.int64]:
    """Return the numbers of the variables of a family, (factors, degree).

    Parameters
    ----------
    variables : one of

        - a list of Variables, or one Variable: a single factor
        - a list of VariableArrays, one for each position and all of one shape (`[x[:-1], x[1:]]`): a factor for each
          place in them.  A Variable among them is the same for all factors
        - a VariableArray (factors, degree), or (degree,) for a single factor
        - nested lists, or a NumPy array, of Variables (factors, degree)
        - an integer array of variable numbers (factors, degree) or (degree,)

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> x = FactorGraph().variables("x", 4)
    >>> as_index([x[:-1], x[1:]]).tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> as_index([x[0], x[2]]).tolist()
    [[0, 2]]
    """
    if isinstance(variables, VariableArray):
        index = variables.index
    elif isinstance(variables, Variable):
        index = np.array([variables.index])
    elif isinstance(variables, np.ndarray) and variables.dtype != object:
        if variables.size and not np.issubdtype(variables.dtype, np.integer):
            raise FactorGraphError(f"variables are given by whole numbers, not by {variables.dtype} values")
        index = variables.astype(np.int64, copy=False)
    elif isinstance(variables, np.ndarray) or any(isinstance(v, list | tuple) for v in _entries(variables)):
        index = _of_objects(variables)
    else:
        index = _of_columns(_entries(variables))
    if index.ndim == 1:
        index = index[None]
    if index.ndim != 2:
        raise FactorGraphError(
            f"the variables of a family are (factors, degree), or (degree,) for one factor; not of shape {index.shape}"
        )
    if not index.shape[1]:
        raise FactorGraphError("a factor needs at least one variable")
    return np.ascontiguousarray(index, dtype=np.int64)


def owner(variables: Any) -> "FactorGraph | None":
    """Return the graph that the variables belong to (None for plain numbers); an error if there are several."""
    if isinstance(variables, Variable | VariableArray):
        return variables.graph
    if isinstance(variables, np.ndarray) and variables.dtype != object:
        return None
    known = list(_leaves(variables))
    graphs = {id(v.graph): v.graph for v in known}
    if len(graphs) > 1:
        raise FactorGraphError(f"the variables {[v.name for v in known[:10]]} belong to different factor graphs")
    return next(iter(graphs.values()), None)


def has_whole_labels(states: tuple[Any, ...]) -> bool:
    """Whether some state is named by a whole number, and not all by their own numbers."""
    return any(_is_whole(label) and label != number for number, label in enumerate(states))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer)


def _entries(variables: Any) -> list[Any]:
    if not isinstance(variables, Iterable) or isinstance(variables, str | Mapping):
        raise FactorGraphError(
            f"the variables of a factor are a list of variables, or an array of them; not {variables!r}"
        )
    return list(variables)


def _leaves(variables: Any) -> "Iterator[Variable | VariableArray]":
    for entry in variables.ravel() if isinstance(variables, np.ndarray) else _entries(variables):
        if isinstance(entry, list | tuple):
            yield from _leaves(entry)
        elif isinstance(entry, Variable | VariableArray):
            yield entry
        else:
            raise FactorGraphError(
                f"the variables of a factor are Variables or VariableArrays, not {entry!r}; variables of a graph are "
                f'graph["name"], and numbers of variables come in an integer array'
            )


def _of_columns(columns: list[Any]) -> NDArray[np.int64]:
    """Return (factors, degree) of one Variable or VariableArray for each position."""
    known = list(_leaves(columns))
    if not known:
        raise FactorGraphError("a factor needs at least one variable")
    shapes = {v.shape for v in known if isinstance(v, VariableArray)}
    if len(shapes) > 1:
        given = ", ".join(f"{v.name}: {v.shape}" for v in known if isinstance(v, VariableArray))
        raise FactorGraphError(
            f"the arrays of a family's variables, one for each position, have one shape; these have several ({given})"
        )
    return np.stack(np.broadcast_arrays(*(np.asarray(v.index) for v in known)), axis=-1).reshape(
        -1 if shapes else 1, len(known)
    )


def _of_objects(variables: Any) -> NDArray[np.int64]:
    """Return (factors, degree) of Variables in nested lists, or in a NumPy array as `np.stack` makes it."""
    if isinstance(variables, np.ndarray):
        return np.array([v.index for v in _leaves(variables)], dtype=np.int64).reshape(variables.shape)
    rows = [row if isinstance(row, list | tuple) else [row] for row in _entries(variables)]
    numbers = [[np.asarray(v.index) for v in _leaves(row)] for row in rows]
    lengths = {len(row) for row in numbers}
    if len(lengths) > 1 or any(number.ndim for row in numbers for number in row):
        raise FactorGraphError(
            f"nested lists of variables have one list for each factor, of single variables and all of one length; "
            f"these have {sorted(lengths)}; for arrays of variables, give a list of arrays, one for each position"
        )
    return np.array(numbers, dtype=np.int64).reshape(len(numbers), -1)

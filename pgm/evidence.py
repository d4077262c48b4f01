"""States of variables as people give them: by names or numbers, one by one or in arrays.

Everywhere (evidence of any inference, gold states of examples, queries) the same forms are taken:

    {variable: state}    a Variable, its name or its number; the state's label or its number
    {array: states}      a VariableArray, or its name; an array of such states of its shape, or one state for all
    (variables,)         an array of state numbers, one for each variable of the graph

In arrays, -1 means unknown (unless -1 is a label).  Where labels are themselves whole numbers, as those of spins
with states -1 and 1 are, whole numbers are labels; only the array of all variables always has state numbers.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.array_types import Integers
from pgm.errors import FactorGraphError
from pgm.variables import Variable, VariableArray

if TYPE_CHECKING:
    from pgm.graph import FactorGraph

__all__ = ["Evidence", "find_evidence", "state_numbers"]


class Evidence(dict[int, int]):
    """Observed states of one graph, {variable number: state number}; taken as it is wherever evidence is taken.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> rain, pixels = graph.variable("rain", ["no", "yes"]), graph.variables("pixel", 3)
    >>> graph.evidence({"rain": "yes", pixels: [0, -1, 1]})
    {0: 1, 1: 0, 3: 1}
    >>> graph.evidence([-1, -1, 0, 0])
    {2: 0, 3: 0}
    """

    def __init__(self, graph: "FactorGraph", states: Mapping[int, int]) -> None:
        super().__init__(states)
        self.graph = graph


def find_evidence(graph: "FactorGraph", given: Any) -> Evidence:
    """Return states that are given in any of the forms above as numbers.

    Raises
    ------
    FactorGraphError
        If there is no such variable or state, or a variable is given twice.
    """
    if given is None:
        return Evidence(graph, {})
    if isinstance(given, Evidence):
        if given.graph.num_variables != graph.num_variables:  # a copy with more factors has the same variables
            raise FactorGraphError("this evidence was made for another factor graph")
        return given
    if not isinstance(given, Mapping):
        return _of_all(graph, given)
    found: dict[int, int] = {}
    for key, states in given.items():
        variables = graph.find(key)
        if isinstance(variables, Variable):
            pairs = [(variables.index, variables.state(states))]
        else:
            numbers = state_numbers(variables, states)
            known = numbers >= 0
            pairs = list(zip(variables.index[known].tolist(), numbers[known].tolist(), strict=True))
        for variable, state in pairs:
            if variable in found:
                raise FactorGraphError(
                    f"the state of variable {graph.variable_at(variable).name!r} is given twice, "
                    f"the second time by {_shown(key)}; give each variable once"
                )
            found[variable] = state
    return Evidence(graph, found)


def state_numbers(variables: VariableArray, states: Any) -> Integers:
    """Return the numbers of states given by labels or numbers, in the shape of the variables; -1 where unknown."""
    given = np.asarray(states)
    if given.dtype.kind in "US" and not isinstance(states, np.ndarray):
        given = np.array(states, dtype=object)  # or else the -1 among labels would become a text as well
    if given.ndim == 0:
        given = np.broadcast_to(given, variables.shape)
    if given.shape != variables.shape:
        raise FactorGraphError(
            f"{variables.name!r} has the shape {variables.shape}, but its states are {given.dtype} {given.shape}"
        )
    whole = given.dtype == np.bool_ or np.issubdtype(given.dtype, np.integer)
    if whole and not variables.has_whole_labels:
        numbers = given.astype(np.int64)
        wrong = (numbers < -1) | (numbers >= variables.cardinality)
        if wrong.any():
            variables.graph.variable_at(int(variables.index[wrong][0])).state(int(numbers[wrong][0]))  # says so
        return numbers
    flat = [
        -1 if state is None or (state == -1 and -1 not in variables.states) else _number(variables, at, state)
        for at, state in enumerate(given.ravel().tolist())
    ]
    return np.array(flat, dtype=np.int64).reshape(variables.shape)


def _number(variables: VariableArray, at: int, state: Any) -> int:
    if state in variables.states and not isinstance(state, float):
        return variables.states.index(state)
    return variables.graph.variable_at(int(variables.index.ravel()[at])).state(state)


def _of_all(graph: "FactorGraph", given: Any) -> Evidence:
    states = np.asarray(given)
    if states.shape != (graph.num_variables,) or not np.issubdtype(states.dtype, np.integer):
        raise FactorGraphError(
            f"states are a dictionary {{variable: state}}, or (variables,) = ({graph.num_variables},) whole numbers "
            f"with -1 for unknown; not {states.dtype} {states.shape}"
        )
    wrong = np.flatnonzero((states < -1) | (states >= graph.cardinalities))
    if len(wrong):
        variable = graph.variable_at(int(wrong[0]))
        raise FactorGraphError(
            f"variable {variable.name!r} has {variable.cardinality} states, and no number {states[wrong[0]]}"
        )
    known = np.flatnonzero(states >= 0)
    return Evidence(graph, dict(zip(known.tolist(), states[known].tolist(), strict=True)))


def _shown(key: Any) -> str:
    return repr(key.name) if isinstance(key, Variable | VariableArray) else repr(key)

"""From beliefs to one assignment."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pgm.errors import ContradictionError
from pgm.message_passing import MessagePassing
from pgm.schedules import Plan

__all__ = ["likeliest", "one_by_one"]


def likeliest(passing: MessagePassing) -> NDArray[np.int64]:
    """Return (variables,): the state of greatest belief of each variable, whatever the others have."""
    beliefs, start = passing.beliefs(), passing.layout.start.tolist()
    return np.array([int(np.argmax(beliefs[first:last])) for first, last in pairwise(start)], dtype=np.int64)


def one_by_one(passing: MessagePassing, plan: Plan) -> NDArray[np.int64]:
    """Clamp the variable of greatest belief to its likeliest state, pass messages on, and so forth.

    A state that turns out to contradict what was settled before is given up for the next one.
    """
    open_variables = set(range(passing.layout.graph.num_variables))
    assignment = likeliest(passing)
    while open_variables:
        beliefs = np.split(passing.beliefs(), passing.layout.start[1:-1])
        variable = max(open_variables, key=lambda v: float(beliefs[v].max()))
        for state in np.argsort(-beliefs[variable], kind="stable"):
            saved = passing.snapshot()
            try:
                passing.clamp(variable, int(state))
                plan.iterate(passing)
                passing.beliefs()
            except ContradictionError:
                passing.go_back(saved)
                continue
            assignment[variable] = state
            break
        open_variables.remove(variable)
    return assignment

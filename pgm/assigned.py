"""What the answers of methods that look for one assignment have in common."""

from abc import ABC
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm.graph import FactorGraph
from pgm.variables import Variable

__all__ = ["Assigned"]


class Assigned(ABC):
    """An assignment of a graph; a subclass has `graph`, `assignment` (variables,) of state numbers, and `score`."""

    graph: FactorGraph
    assignment: NDArray[np.int64]
    score: float

    def states(self) -> dict[str, Any]:
        """Return {name of a variable: label of its state}."""
        variables = [self.graph.variable_at(i) for i in range(self.graph.num_variables)]
        return {v.name: v.states[x] for v, x in zip(variables, self.assignment, strict=True)}

    def state(self, of: Any) -> Any:
        """Return the label of a variable's state; of an array of variables, an array of labels of its shape."""
        variables = self.graph.find(of)
        if isinstance(variables, Variable):
            return variables.states[self.assignment[variables.index]]
        labels = np.empty(variables.cardinality, dtype=object)
        labels[:] = variables.states
        return labels[self.assignment[variables.index]]

"""What exact inference answers."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.variables import Variable, VariableArray

__all__ = ["ExactResult", "MapResult", "belief_of"]

Floats = NDArray[np.float64]


def belief_of(beliefs: Sequence[Floats], of: Variable | VariableArray) -> Floats:
    """Return the belief of a variable (states,), or of an array of variables (…, states)."""
    index = np.asarray(of.index)
    if index.size and int(index.max()) >= len(beliefs):
        raise FactorGraphError(f"{of.name!r} is not a variable of the graph that these beliefs are of")
    return np.stack([beliefs[v] for v in index.ravel()]).reshape(*index.shape, of.cardinality)


@frozen(eq=False, slots=False)
class ExactResult:
    """Exact marginals and the log-partition.

    Attributes
    ----------
    log_partition : log Σ_y Π_α ψ_α(y), over the y that agree with the evidence
    beliefs : for each variable the probabilities of its states (those of an observed one are 0 and 1)
    """

    graph: FactorGraph = field(repr=False)
    log_partition: float = field()
    beliefs: list[Floats] = field(repr=False)
    _make_factor_beliefs: Callable[[], list[Floats]] = field(repr=False)

    def belief(self, of: Variable | VariableArray | Factor) -> Floats:
        """Return the belief of a variable (states,), an array of them (…, states), or a family (F, c_1, …, c_D)."""
        if isinstance(of, Factor):
            return self.factor_beliefs[[family is of for family in self.graph.families].index(True)]
        return belief_of(self.beliefs, of)

    @cached_property
    def factor_beliefs(self) -> list[Floats]:
        """For each family (F, c_1, …, c_D): joint marginals of each factor's variables.  Made when first asked for."""
        return self._make_factor_beliefs()


@frozen(eq=False)
class MapResult:
    """The most probable assignment.

    Attributes
    ----------
    assignment : (variables,) state numbers
    score : its log-potential Σ_α log ψ_α(y)
    """

    graph: FactorGraph = field(repr=False)
    assignment: NDArray[np.int64] = field(repr=False)
    score: float = field()

    def states(self) -> dict[str, object]:
        """Return {name of a variable: name of its state}."""
        variables = [self.graph.variable_at(i) for i in range(self.graph.num_variables)]
        return {v.name: v.states[x] for v, x in zip(variables, self.assignment, strict=True)}

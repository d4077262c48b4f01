"""What exact inference answers."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.assigned import Assigned
from pgm.beliefs import Beliefs
from pgm.factor import Factor
from pgm.graph import FactorGraph

__all__ = ["ExactResult", "MapResult"]

Floats = NDArray[np.float64]


@frozen(eq=False)
class ExactResult(Beliefs):
    """Exact marginals and the log-partition.

    Attributes
    ----------
    log_partition : log Σ_y Π_α ψ_α(y), over the y that agree with the evidence
    flat_beliefs : (states,) for each variable the probabilities of its states (those of an observed one are 0 and 1)
    """

    graph: FactorGraph = field(repr=False)
    log_partition: float = field()
    flat_beliefs: Floats = field(repr=False)
    _make_factor_beliefs: Callable[[], list[Floats]] = field(repr=False)
    _make_joint_belief: Callable[[list[int]], Floats] = field(repr=False)

    @cached_property
    def factor_beliefs(self) -> list[Floats]:
        """For each family (F, c_1, …, c_D): joint marginals of each factor's variables.  Made when first asked for."""
        return self._make_factor_beliefs()

    def _factor_belief(self, factor: Factor) -> Floats:
        return self.factor_beliefs[self._number_of(factor)]

    def _joint_belief(self, variables: list[int]) -> Floats:
        return self._make_joint_belief(variables)


@frozen(eq=False)
class MapResult(Assigned):
    """The most probable assignment.

    Attributes
    ----------
    assignment : (variables,) state numbers
    score : its log-potential Σ_α log ψ_α(y)
    """

    graph: FactorGraph = field(repr=False)
    assignment: NDArray[np.int64] = field(repr=False)
    score: float = field()

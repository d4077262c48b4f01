"""Tree-reweighted belief propagation: counting numbers from random forests, and an upper bound on log Z."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats
from autodiff.conversion import as_count, as_generator
from autodiff.validators import number, plain, whole
from pgm import kernels
from pgm.belief_propagation import as_schedule
from pgm.factor import Factor
from pgm.fractional import FractionalBeliefPropagation
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.result import BeliefResult
from pgm.schedules import Parallel, Schedule

__all__ = ["TreeReweighted", "appearance_probabilities"]


@frozen(kw_only=True)
class TreeReweighted(Inference):
    """Belief propagation with each factor counted by its share of the forests that cover the graph.

    The free energy is a convex combination of those of forests, so there is one fixed point, and there the
    `log_partition` of the result is an upper bound on log Z (of a run that has converged).  On a graph without cycles
    all shares are 1, and it is belief propagation.  A factor of any degree is in a forest if it closes no cycle.

    Parameters
    ----------
    forests : how many are grown at random, at least; more until each factor is in one
    seed : of the forests
    iterations, tolerance, damping, schedule : as for `BeliefPropagation`

    References
    ----------
    Wainwright, Jaakkola & Willsky (2005), A new class of upper bounds on the log partition function.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 3)
    >>> triangle = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], [[2.0, 0.0], [0.0, 2.0]]))
    >>> result = TreeReweighted().run(graph)
    >>> result.converged, bool(result.log_partition > np.log(2 * np.exp(6) + 6 * np.exp(2)))
    (True, True)
    """

    forests: int = field(default=100, converter=plain, validator=whole(1))
    seed: int = field(default=0)
    iterations: int = field(default=1000, converter=plain, validator=whole(0))
    tolerance: float = field(default=1e-8, converter=plain, validator=number(least=0))
    damping: float = field(default=0.5, converter=plain, validator=number(least=0, below=1))
    schedule: Schedule = field(default=Parallel(), converter=as_schedule)

    def run(self, graph: FactorGraph, *, evidence: Any = None) -> BeliefResult:
        """Pass messages until they settle, or the iterations are used up; the result says which.

        Raises
        ------
        ContradictionError
            If nothing satisfies all factors and the evidence, as far as messages tell.
        """
        fractional = FractionalBeliefPropagation(
            counting=appearance_probabilities(graph, forests=self.forests, seed=self.seed),
            iterations=self.iterations,
            tolerance=self.tolerance,
            damping=self.damping,
            schedule=self.schedule,
        )
        return fractional.run(graph, evidence=evidence)

    @classmethod
    def examples(cls) -> Iterable["TreeReweighted"]:
        """Yield few forests; on a graph without cycles one has all factors."""
        yield cls(forests=3, tolerance=1e-12)


def appearance_probabilities(
    graph: FactorGraph, *, forests: int = 100, seed: int | np.random.Generator = 0
) -> dict[Factor, Floats]:
    """Return {family: (F,)} the share of random maximal forests in which each factor is; positive for all of them.

    A forest is a set of factors that closes no cycle.  Each is grown from the factors in a random order, those first
    which have been in the fewest.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 3)
    >>> triangle = graph.add(Table(x[[[0, 1], [1, 2], [2, 0]]], np.eye(2)))
    >>> appearance_probabilities(graph, forests=99)[triangle].round(9)  # two edges of three
    array([0.66666667, 0.66666667, 0.66666667])
    """
    rng = as_generator(seed, "appearance_probabilities: seed")
    forests = as_count(forests, "appearance_probabilities: forests", least=1)
    sizes = [family.num_factors for family in graph.families]
    degrees = np.repeat([family.degree for family in graph.families], sizes).astype(np.int64)
    edge_start = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    variables = np.concatenate([np.zeros(0, np.int64), *(family.variables.ravel() for family in graph.families)])
    counts, chosen = np.zeros(len(degrees), dtype=np.int64), np.empty(len(degrees), dtype=np.bool_)
    grown = 0
    while grown < forests or (counts == 0).any():
        order = np.lexsort((rng.random(len(counts)), counts))
        kernels.forests.grow(edge_start, variables, order, graph.num_variables, chosen)
        counts += chosen
        grown += 1
    shares = np.split(counts / grown, np.cumsum(sizes)[:-1]) if sizes else []
    return dict(zip(graph.families, shares, strict=True))

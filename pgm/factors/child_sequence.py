"""CHILDSEQ: the sequence of a head's children on one side, scored by a head automaton."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from hypergraph import Hypergraph, HypergraphBuilder
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.variables import as_index

__all__ = ["ChildSequence"]


class ChildSequence(HypergraphFactor):
    """The arcs of one head on one side that are ON, from the head outwards, as a sequence with bigram scores.

    If the i-th, j-th and k-th of the arcs are ON, log ψ = w(#, i) + w(i, j) + w(j, k) + w(k, #), where # is the
    boundary; with no arc ON it is w(#, #).  Messages take O(D²), and as much again for each arc that is almost surely
    ON. A head has a factor for its left side and another for its right side.

    Parameters
    ----------
    arcs : the D arc variables in their order, from the head outwards; (factors, D) for a family of heads
    log_potentials : (D + 1, D + 1) at [before, after] with 0 for the boundary and i for the i-th arc, i = 1 … D; or
        (factors, D + 1, D + 1).  Only [0, 0], [0, i], [i, 0] and [i, j] with i < j mean anything

    References
    ----------
    Smith & Eisner (2008), §3.3 (CHILDSEQ) and §5.4; Eisner & Satta (1999).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> arcs = FactorGraph().variables("arc", 3)
    >>> scores = np.zeros((4, 4))
    >>> scores[0, 1], scores[1, 3], scores[3, 0] = 0.5, 2.0, -1.0
    >>> ChildSequence(arcs, scores).score(np.array([[1, 0, 1]]))
    array([1.5])
    """

    def __init__(self, arcs: Any, log_potentials: ArrayLike, *, name: str | None = None) -> None:
        size = as_index(arcs).shape[1] + 1
        uses = np.full((size, size, 2), -1)
        for after in range(1, size):
            uses[:after, after] = after - 1, 1
        super().__init__(
            arcs, _automaton(size - 1), uses.reshape(-1, 2), default=0, log_potentials=log_potentials,
            shape=(size, size), check=False, name=name,
        )  # fmt: skip

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the sum of the bigrams."""
        assert self.log_potentials is not None
        total = np.zeros(self.num_factors)
        for row, arcs in enumerate(self.states_of(assignment)):
            children = [0, *(np.flatnonzero(arcs) + 1), 0]
            for before, after in pairwise(children):
                total[row] += self.log_potentials[row, before, after]
        return total

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["ChildSequence"]:
        """Yield families of one to four arcs, some bigrams impossible."""
        for degree in (1, 2, 4):
            scores = rng.normal(size=(2, degree + 1, degree + 1))
            yield cls(np.arange(2 * degree).reshape(2, degree), scores)
            scores[:, 0, 1] = -np.inf
            yield cls(np.arange(2 * degree).reshape(2, degree), scores)


@lru_cache(maxsize=128)
def _automaton(degree: int) -> Hypergraph:
    """Return the hypergraph whose nodes are "the last child so far is i"; its weights are (before, after), flat."""
    builder = HypergraphBuilder(num_weights=(degree + 1) ** 2)
    builder.edge(0)
    for after in range(1, degree + 1):
        for before in range(after):
            builder.edge(after, [before], weight=before * (degree + 1) + after)
    for last in range(degree + 1):
        builder.edge("end", [last], weight=last * (degree + 1))
    return builder.build("end")

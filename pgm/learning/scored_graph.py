"""Scores of parts placed among the potentials of a factor graph, for models that build graphs by themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from autodiff.array_types import Floats
from autodiff.conversion import as_floats
from pgm.errors import PotentialError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.learning.instance import Scores

__all__ = ["Placed", "ScoredGraph"]


@frozen(eq=False)
class Placed:
    """A family of factors, with the scores of some parts among its potentials: scores[rows] at potentials[place].

    Attributes
    ----------
    factor : its own potentials are what stays where no part is placed
    rows : which parts; an index array, of which some may be the same, or a slice
    place : where they go, an index of the potentials
    """

    factor: Factor = field()
    rows: Any = field(repr=False)
    place: Any = field(repr=False)


@frozen(eq=False)
class ScoredGraph:
    """A factor graph, built once, and where the scores of each kind of parts go.

    Attributes
    ----------
    placed : by kind of parts; several may be in one family
    sizes : the number of parts of each kind

    Examples
    --------
    >>> from pgm import BeliefPropagation
    >>> from pgm.factors import BothOn, Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 3)
    >>> unary, pair = graph.add(Table([x], np.zeros((3, 2)))), graph.add(BothOn(x[[[0, 1], [1, 2]]], np.zeros(2)))
    >>> every = slice(None)
    >>> placed = [("on", Placed(unary, every, (every, 1))), ("both", Placed(pair, every, every))]
    >>> scored = ScoredGraph(graph, placed, {"on": 3, "both": 2})
    >>> potentials = scored.potentials({"on": np.array([1.0, 0.0, -1.0]), "both": np.array([0.5, 0.5])})
    >>> result = BeliefPropagation().run(graph, potentials=potentials)
    >>> scored.by_kind(result.factor_beliefs)["on"].round(3)
    array([0.786, 0.634, 0.338])
    """

    graph: FactorGraph = field(repr=False)
    placed: Sequence[tuple[str, Placed]] = field(repr=False)
    sizes: Mapping[str, int] = field()

    def potentials(self, scores: Mapping[Any, Floats]) -> list[Floats | None]:
        """Return the potentials of all families, None for those in which nothing is placed."""
        checked = {
            kind: as_floats(scores[kind], f"the scores of {kind!r}", PotentialError, shape=(size,))
            for kind, size in self.sizes.items()
        }
        found: dict[Factor, Floats] = {}
        for kind, one in self.placed:
            values = checked[kind][one.rows]
            if isinstance(one.place, slice):  # of all its potentials
                found[one.factor] = values
                continue
            if one.factor not in found:
                found[one.factor] = np.array(one.factor.potentials)
            found[one.factor][one.place] = values
        return [found.get(family) for family in self.graph.families]

    def by_kind(self, of_families: Mapping[Factor, Floats]) -> Scores:
        """Return what belongs to each part, given arrays like potentials (beliefs, or adjoints) by family."""
        found: Scores = {kind: np.zeros(size) for kind, size in self.sizes.items()}
        for kind, one in self.placed:
            own = of_families[one.factor][one.place]
            if isinstance(one.rows, slice):
                found[kind][one.rows] = own
            else:  # several potentials may have the score of one part
                found[kind] += np.bincount(one.rows, weights=own, minlength=self.sizes[kind])
        return found

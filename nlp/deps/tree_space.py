"""The trees of candidate arcs as an output space: what decoders choose from, and soften (Gormley et al. 2015, eq. 10).

Events are both states of every arc (OFF, ON), then the relations that each arc may have.
"""

import numpy as np
from numpy.typing import NDArray

from nlp.deps.analysis import Analysis
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from nlp.deps.settings import TreeSettings
from pgm.learning import OutputSpace
from pgm.learning.output_space import Backward

__all__ = ["TreeSpace"]

Floats = NDArray[np.float64]


class TreeSpace(OutputSpace):
    """The labelled trees that candidate arcs make.

    Parameters
    ----------
    parts : the candidate arcs
    tree : which trees there are
    relations : which relations the arcs may have; None for trees without

    Examples
    --------
    >>> space = TreeSpace(Parts.all_arcs(2), TreeSettings())
    >>> space.search(np.array([0.1, 0.9, 0.9, 0.1, 0.8, 0.2, 0.2, 0.8])).heads
    array([0, 1])
    """

    def __init__(self, parts: Parts, tree: TreeSettings, relations: RelationSums | None = None) -> None:
        self.parts, self.relations = parts, relations
        self.structure = tree.structure(parts.n)

    def best_heads(self, arc_values: Floats) -> NDArray[np.int64]:
        """Return (n,): the heads of the tree with the greatest sum of values (arcs,)."""
        return np.asarray(self.structure.best(self.parts.matrix(arc_values, -np.inf))[1][1:])

    def search(self, values: Floats) -> Analysis:
        """Return the labelled tree with the greatest sum of values over its events."""
        arcs = 2 * len(self.parts)
        gained = values[1:arcs:2] - values[:arcs:2]
        if self.relations is None:
            return Analysis(self.best_heads(gained))
        best = self.relations.best(values[arcs:])
        heads = self.best_heads(gained + values[arcs:][best])
        return self.labelled(heads, values[arcs:])

    def labelled(self, heads: NDArray[np.int64], relation_values: Floats) -> Analysis:
        """Return a tree of candidate arcs with the best relation of each of its arcs."""
        if self.relations is None:
            return Analysis(heads)
        best = self.relations.best(relation_values)[self.parts.numbers(heads)]
        return Analysis(heads, self.relations.names(best))

    def soften(self, beliefs: Floats, temperature: float) -> tuple[Floats, Backward]:
        """Return the marginals of a distribution ∝ exp(Σ b / T) over the arcs and relations of a tree."""
        arcs, relations = 2 * len(self.parts), self.relations
        scores = beliefs[1:arcs:2] / temperature
        shares = None
        if relations is not None:
            totals, shares = relations.sums(beliefs[arcs:] / temperature)
            scores = scores + totals
        matrix = self.parts.matrix(scores, -np.inf)
        chart = self.structure.run(self.structure.check_weights(matrix))
        on = chart.weight_marginals.reshape(matrix.shape)[self.parts.heads, self.parts.modifiers]
        states = np.stack([1.0 - on, on], axis=1).ravel()
        marginals = states if relations is None else np.concatenate([states, relations.spread(on) * shares])

        def backward(adjoint: Floats) -> Floats:
            on_arcs = adjoint[1:arcs:2] - adjoint[:arcs:2]
            on_shares = None
            if relations is not None:
                on_arcs = on_arcs + relations.total(adjoint[arcs:] * shares)
                on_shares = adjoint[arcs:] * relations.spread(on)
            back = chart.backward(self.parts.matrix(on_arcs, 0.0).ravel())
            on_scores = back.reshape(matrix.shape)[self.parts.heads, self.parts.modifiers] / temperature
            result = np.zeros(len(beliefs))
            result[1:arcs:2] = on_scores
            if relations is not None and shares is not None and on_shares is not None:
                result[arcs:] = relations.backward(shares, on_scores * temperature, on_shares) / temperature
            return result

        return marginals, backward

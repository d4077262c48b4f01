"""The trees of candidate arcs as an output space: what decoders choose from, and soften (Gormley et al. 2015, eq. 10).

Events are both states of every arc (OFF, ON), then the relations that each arc may have.
"""

import numpy as np
from numpy.typing import NDArray

from autodiff.array_types import Floats
from nlp.deps.analysis import Analysis
from nlp.deps.parts import Parts
from nlp.deps.relation_sums import RelationSums
from nlp.deps.settings import TreeSettings
from pgm.learning import OutputSpace
from pgm.learning.output_space import Backward

__all__ = ["TreeSpace"]


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
        if relations is None:
            on, through_trees = self._soften_arcs(beliefs[1:arcs:2] / temperature)

            def backward(adjoint: Floats) -> Floats:
                result = np.zeros(len(beliefs))
                result[1:arcs:2] = through_trees(adjoint[1:arcs:2] - adjoint[:arcs:2]) / temperature
                return result

            return _states(on), backward
        totals, shares = relations.sums(beliefs[arcs:] / temperature)
        on, through_trees = self._soften_arcs(beliefs[1:arcs:2] / temperature + totals)

        def backward_labelled(adjoint: Floats) -> Floats:
            of_pairs = adjoint[arcs:]
            on_arcs = adjoint[1:arcs:2] - adjoint[:arcs:2] + relations.total(of_pairs * shares)
            on_scores = through_trees(on_arcs)
            result = np.zeros(len(beliefs))
            result[1:arcs:2] = on_scores / temperature
            result[arcs:] = relations.backward(shares, on_scores, of_pairs * relations.spread(on)) / temperature
            return result

        return np.concatenate([_states(on), relations.spread(on) * shares]), backward_labelled

    def _soften_arcs(self, scores: Floats) -> tuple[Floats, Backward]:
        """Return the marginals (arcs,) of trees ∝ exp(Σ scores), and the way back."""
        heads, modifiers = self.parts.heads, self.parts.modifiers
        matrix = self.parts.matrix(scores, -np.inf)
        chart = self.structure.run(self.structure.check_weights(matrix))

        def backward(adjoint: Floats) -> Floats:
            return np.asarray(
                chart.backward(self.parts.matrix(adjoint, 0.0).ravel()).reshape(matrix.shape)[heads, modifiers]
            )

        return np.asarray(chart.weight_marginals.reshape(matrix.shape)[heads, modifiers]), backward


def _states(on: Floats) -> Floats:
    """Return both states of every arc, OFF and ON."""
    return np.stack([1.0 - on, on], axis=1).ravel()

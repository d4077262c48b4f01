"""Dependency trees, projective or not, first order: sums by the matrix-tree theorem (Koo et al. 2007; Smith & Smith
2007), the best by Chu & Liu (1965) and Edmonds (1967).

A hypergraph of them would need a node for each set of words.
"""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from hypergraph.batched.nonprojective_trees import NonprojectiveTreeChart, best_nonprojective_trees
from hypergraph.derivation import Derivation, PartDerivation
from hypergraph.nonprojective.counting import count_trees
from hypergraph.nonprojective.ranking import ranked_trees
from hypergraph.nonprojective.sampling import draw_trees
from hypergraph.roots import has_one_root
from hypergraph.structures.dependency_trees import DependencyTrees

__all__ = ["NonprojectiveTrees"]


@frozen
class NonprojectiveTrees(DependencyTrees):
    """Dependency trees over `n` words, projective or not.  Weights: (n + 1, n + 1), arc h → m at [h, m].

    There is no hypergraph, but all else can be asked: sums and marginals take O(n³), the best tree O(n²), each further
    one of the k best O(n³), a sample O(n⁴).

    Parameters
    ----------
    n : number of words, without the root
    roots : "any" number of words may depend on the root 0, or exactly "one"

    Examples
    --------
    >>> from hypergraph import count, kbest, log_partition
    >>> trees = NonprojectiveTrees(3, roots="one")
    >>> count(trees), round(float(np.exp(log_partition(trees, np.zeros((4, 4))))), 9)
    (9, 9.0)
    >>> weights = trees.weights([[0, 5, 4, 0], [0, 0, 3, 0], [0, 9, 0, 1], [0, 0, 8, 0]])
    >>> for derivation in kbest(trees, weights, k=2):
    ...     print(derivation.score, trees.decode(derivation))
    17.0 [-1  2  3  0]
    14.0 [-1  2  0  2]
    """

    projective: ClassVar[bool] = False

    def run_batch(self, scores: Floats) -> NonprojectiveTreeChart:
        """Return the sums over trees for scores (batch, n + 1, n + 1)."""
        return NonprojectiveTreeChart.run(scores, roots=self.roots)

    def best_batch(self, scores: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return the scores (batch,) and the heads (batch, n + 1) of the best trees."""
        return best_nonprojective_trees(scores, roots=self.roots)

    def best_derivation(self, weights: Floats) -> PartDerivation:
        """Return the best tree; of those that tie, always the same."""
        return self._derivation(*self.best(weights))

    def derivations(self, weights: Floats) -> Iterator[Derivation]:
        """Yield all trees, best first."""
        found = False
        for score, heads in ranked_trees(self._matrix(weights), one_root=has_one_root(self.roots)):
            found = True
            yield self._derivation(score, heads)
        if not found:
            raise self.impossible()

    def draw(self, weights: Floats, size: int, rng: np.random.Generator) -> list[Derivation]:
        """Return independent exact samples of trees."""
        self.run(weights)  # refuses weights without a tree
        matrix = self._matrix(weights)
        drawn: list[Derivation] = []
        for heads in draw_trees(matrix, size, rng, roots=self.roots):
            score = matrix[heads[1:], np.arange(1, self.n + 1)].sum()
            drawn.append(self._derivation(float(score), heads))
        return drawn

    def entropy(self, weights: Floats) -> float:
        """Return the entropy of the distribution over trees, in nats: log Z less the expected score.

        Scores are taken relative to those of the best tree, which keeps the digits of confident ones.
        """
        _, heads = self.best(weights)
        relative = self._matrix(weights).copy()
        relative[:, 1:] -= relative[heads[1:], np.arange(1, self.n + 1)]
        chart = self.run(relative)
        used = chart.weight_marginals > 0
        return max(0.0, chart.log_partition - float(chart.weight_marginals[used] @ relative.reshape(-1)[used]))

    def count(self, weights: Floats) -> int:
        """Return the exact number of trees that the weights leave possible."""
        return count_trees(self._matrix(weights) > -np.inf, one_root=has_one_root(self.roots))

    def _matrix(self, weights: Floats) -> Floats:
        return weights.reshape(self.n + 1, self.n + 1)

    def _derivation(self, score: float, heads: NDArray[np.int64]) -> PartDerivation:
        return PartDerivation(score, self.weights_of(heads), self.num_weights)

"""Projective dependency trees, first order (Eisner 1996).

Sums over the projective trees on words 1 … n under the artificial root 0; a tree weighs Π_{arcs h → m} w(h, m).

Legend: word positions i ≤ k ≤ j.  Nodes of the hypergraph:
- ("complete", h, e): h and all its descendants towards and up to e, on one side of h;
- ("incomplete", h, m): the arc h → m and all that lies between h and m.
"""

from functools import lru_cache
from typing import ClassVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from hypergraph.batched.trees import TreeChart, best_trees
from hypergraph.builder import HypergraphBuilder
from hypergraph.graph import Hypergraph
from hypergraph.structures.dependency_trees import DependencyTrees

__all__ = ["ProjectiveTrees"]


@frozen
class ProjectiveTrees(DependencyTrees):
    """Projective dependency trees over `n` words.  Weights: (n + 1, n + 1), arc h → m at [h, m].

    Parameters
    ----------
    n : number of words, without the root
    roots : "any" number of words may depend on the root 0, or exactly "one"

    Examples
    --------
    >>> from hypergraph import log_partition
    >>> trees = ProjectiveTrees(2, roots="one")
    >>> weights = trees.weights(np.log([[1, 3, 1], [1, 1, 1], [1, 2, 1]]))
    >>> round(float(np.exp(log_partition(trees, weights))), 9)  # 3·1 + 1·2
    5.0
    """

    projective: ClassVar[bool] = True

    @property
    def graph(self) -> Hypergraph:
        """Eisner's hypergraph, of O(n²) nodes and O(n³) edges; built once for each n."""
        return _build(self.n, self.roots)

    def run_batch(self, scores: Floats) -> TreeChart:
        """Run Eisner's algorithm on scores (batch, n + 1, n + 1), which needs no hypergraph."""
        return TreeChart.run(scores, roots=self.roots)

    def best_batch(self, scores: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return the scores (batch,) and the heads (batch, n + 1) of the best trees."""
        return best_trees(scores, roots=self.roots)


@lru_cache(maxsize=64)
def _build(n: int, roots: str) -> Hypergraph:
    builder = HypergraphBuilder(num_weights=(n + 1) ** 2)
    first = 0 if roots == "any" else 1
    for word in range(first, n + 1):
        builder.edge(("complete", word, word, "left"))
        builder.edge(("complete", word, word, "right"))
    for width in range(1, n + 1 - first):
        for i in range(first, n + 1 - width):
            j = i + width
            for head, modifier in ((i, j), (j, i)):
                if modifier == 0:
                    continue
                for k in range(i, j):
                    halves = [("complete", i, k, "right"), ("complete", j, k + 1, "left")]
                    builder.edge(("incomplete", head, modifier), halves, weight=head * (n + 1) + modifier)
            for k in range(i + 1, j + 1):
                builder.edge(("complete", i, j, "right"), [("incomplete", i, k), ("complete", k, j, "right")])
            if i > 0:
                for k in range(i, j):
                    builder.edge(("complete", j, i, "left"), [("complete", k, i, "left"), ("incomplete", j, k)])
    if roots == "any":
        return builder.build(root=("complete", 0, n, "right"))
    for child in range(1, n + 1):
        sides = [("complete", child, 1, "left"), ("complete", child, n, "right")]
        builder.edge("tree", sides, weight=child)
    return builder.build(root="tree")

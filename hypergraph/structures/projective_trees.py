"""Projective dependency trees, first order (Eisner 1996).

Sums over the projective trees on words 1 … n under the artificial root 0; a tree weighs Π_{arcs h → m} w(h, m).

Legend: word positions i ≤ k ≤ j.  Nodes of the hypergraph:
- ("complete", h, e): h and all its descendants towards and up to e, on one side of h;
- ("incomplete", h, m): the arc h → m and all that lies between h and m.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats
from autodiff.validators import one_of
from hypergraph.batched.chart import ChartOfOne
from hypergraph.batched.trees import TreeChart, best_trees
from hypergraph.builder import HypergraphBuilder
from hypergraph.errors import ImpossibleError, WeightError
from hypergraph.graph import Hypergraph
from hypergraph.structure import Structure, as_size

if TYPE_CHECKING:
    from hypergraph.derivation import Derivation

__all__ = ["ProjectiveTrees"]


@frozen
class ProjectiveTrees(Structure):
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

    n: int = field(converter=as_size, validator=ge(1))
    roots: Literal["any", "one"] = field(default="any", validator=one_of("any", "one"))

    @classmethod
    def examples(cls) -> "list[ProjectiveTrees]":
        """Return both kinds for up to 4 words."""
        return [cls(n, roots) for n in (1, 2, 3, 4) for roots in ("any", "one")]

    @property
    def num_weights(self) -> int:
        """The number of entries of the weights, arcs and others."""
        return (self.n + 1) ** 2

    def weights(self, arc_scores: ArrayLike) -> NDArray[np.float64]:
        """Return the log-weights for scores `(n + 1, n + 1)`: what is no arc (into 0, or h → h) becomes -inf."""
        scores = np.array(as_floats(arc_scores, "arc_scores", WeightError))
        if scores.shape != (self.n + 1, self.n + 1):
            raise WeightError(f"arc scores for n = {self.n} have shape {(self.n + 1,) * 2}, not {scores.shape}")
        scores[:, 0] = -np.inf
        np.fill_diagonal(scores, -np.inf)
        return self.check_weights(scores)

    def weight_name(self, index: int) -> str:
        """Return "arc h → m"."""
        head, modifier = divmod(index, self.n + 1)
        return f"arc {head} → {modifier}"

    @property
    def graph(self) -> Hypergraph:
        """Eisner's hypergraph, of O(n²) nodes and O(n³) edges; built once for each n."""
        return _build(self.n, self.roots)

    def decode(self, derivation: "Derivation") -> NDArray[np.int64]:
        """Return (n + 1,): the head of each word, and -1 for the root itself."""
        heads = np.full(self.n + 1, -1)
        arc_heads, modifiers = np.divmod(derivation.weights, self.n + 1)
        heads[modifiers] = arc_heads
        return heads

    def run(self, weights: NDArray[np.float64]) -> ChartOfOne:
        """Run Eisner's algorithm, which needs no hypergraph."""
        shape = (1, self.n + 1, self.n + 1)
        try:
            chart = TreeChart.run(weights.reshape(shape), roots=self.roots)
        except ImpossibleError:
            raise self.impossible() from None
        return ChartOfOne(chart, lambda arrays: arrays[0].reshape(-1), lambda flat: (flat.reshape(shape),))

    def best(self, weights: ArrayLike) -> tuple[float, NDArray[np.int64]]:
        """Return the score of the best tree, and its heads as `decode` gives them."""
        scores = self.check_weights(weights).reshape(1, self.n + 1, self.n + 1)
        try:
            best, heads = best_trees(scores, roots=self.roots)
        except ImpossibleError:
            raise self.impossible() from None
        return float(best[0]), heads[0]


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

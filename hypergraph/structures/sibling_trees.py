"""Projective dependency trees, second order with adjacent siblings (Eisner 1996; McDonald & Pereira 2006).

Sums over the projective trees on words 1 … n under the artificial root 0; a tree weighs Π_{arcs h → m} w(h, m, s),
where s is the next-inner sibling of m: the child of h that precedes m on the way from h, or h itself if there is none.

Legend: nodes of the hypergraph, for h head, m modifier, s sibling, e the end of a side:
- ("complete", h, e): h and all its descendants towards and up to e, on one side of h;
- ("incomplete", h, m): the arc h → m and all that lies between h and m; m is the outermost child so far;
- ("between", s, m): what lies between two adjacent children of one head: the right side of one, the left of the other.
"""

from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from hypergraph.builder import HypergraphBuilder
from hypergraph.graph import Hypergraph
from hypergraph.structures._higher_order import HigherOrderTrees, half, sibling_parts, spans

__all__ = ["SiblingTrees"]


@frozen
class SiblingTrees(HigherOrderTrees):
    """Projective trees scored by arcs and adjacent siblings.  Weights: (n + 1,) * 3, at [h, m, s].

    Parameters
    ----------
    n : number of words, without the root
    roots : "any" number of words may depend on the root 0, or exactly "one"

    Examples
    --------
    >>> from hypergraph import log_partition, marginals
    >>> trees = SiblingTrees(3)
    >>> weights = trees.weights(np.zeros((4, 4)), np.zeros((4, 4, 4)))
    >>> round(float(np.exp(log_partition(trees, weights))), 9)
    12.0
    >>> trees.arc_marginals(marginals(trees, weights))[0].round(3)
    array([0.   , 0.583, 0.333, 0.583])
    """

    axes = "hms"

    @classmethod
    def examples(cls) -> "list[SiblingTrees]":
        """Return both kinds for up to 4 words."""
        return [cls(n, roots) for n in (1, 2, 3, 4) for roots in ("any", "one")]

    def weights(self, arcs: ArrayLike, siblings: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return arcs[h, m] + siblings[h, m, s]: (n + 1,) * 3, with -inf for what is no part of a tree."""
        return self._sum_of(arcs=("hm", arcs), siblings=("hms", siblings))

    @property
    def parts(self) -> NDArray[np.bool_]:
        """Which [h, m, s] are parts of some tree."""
        return sibling_parts(self.n, self.roots)

    @property
    def graph(self) -> Hypergraph:
        """The hypergraph, of O(n²) nodes and O(n³) edges; built once for each n."""
        return _build(self)


@lru_cache(maxsize=64)
def _build(trees: SiblingTrees) -> Hypergraph:
    n, at = trees.n, trees._at
    builder = HypergraphBuilder(num_weights=trees.num_weights)
    for i, j in spans(0 if trees.roots == "any" else 1, n):
        for h, m, towards in ((i, j, 1), (j, i, -1)):
            if m == 0:
                continue
            builder.edge(("incomplete", h, m), half(m, h + towards), weight=at(h=h, m=m, s=h))
            for s in range(h + towards, m, towards):
                inner = [("incomplete", h, s), ("between", min(s, m), max(s, m))]
                builder.edge(("incomplete", h, m), inner, weight=at(h=h, m=m, s=s))
            for child in range(h + towards, m + towards, towards):
                builder.edge(("complete", h, m), [("incomplete", h, child), *half(child, m)])
        if i > 0:
            for k in range(i, j):
                builder.edge(("between", i, j), [*half(i, k), *half(j, k + 1)])
    if trees.roots == "any":
        return builder.build(root=("complete", 0, n))
    for child in range(1, n + 1):
        builder.edge("tree", [*half(child, 1), *half(child, n)], weight=at(h=0, m=child, s=0))
    return builder.build(root="tree")

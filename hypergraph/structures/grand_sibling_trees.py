"""Projective dependency trees, third order with grandparents and siblings (Koo & Collins 2010, Model 1).

Sums over the projective trees on words 1 … n under the artificial root 0; a tree weighs Π_{arcs h → m} w(g, h, m, s),
where g is the head of h (0 where h is the root) and s the next-inner sibling of m (h where there is none).

Legend: nodes of the hypergraph, the paper's g-spans, for g grandparent, h head, m modifier, e the end of a side:
- ("complete", g, h, e): h, whose head is g, and all its descendants towards and up to e, on one side of h;
- ("incomplete", g, h, m): the arc h → m, where the head of h is g, and all that lies between h and m;
- ("between", h, s, m): what lies between the adjacent children s < m of h.
"""

from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from hypergraph.builder import HypergraphBuilder
from hypergraph.graph import Hypergraph
from hypergraph.structures._higher_order import HigherOrderTrees, grandparent_parts, half, sibling_parts, spans

__all__ = ["GrandSiblingTrees"]


@frozen
class GrandSiblingTrees(HigherOrderTrees):
    """Projective trees scored by grandparents and adjacent siblings.  Weights: (n + 1,) * 4, at [g, h, m, s].

    Parameters
    ----------
    n : number of words, without the root
    roots : "any" number of words may depend on the root 0, or exactly "one"

    Examples
    --------
    >>> from hypergraph import viterbi
    >>> trees = GrandSiblingTrees(3, roots="one")
    >>> siblings = np.zeros((4, 4, 4))
    >>> siblings[1, 3, 2] = 5.0  # word 1 would like 2 and 3 for its children
    >>> trees.decode(viterbi(trees, trees.weights(np.zeros((4, 4)), siblings=siblings)))
    array([-1,  0,  1,  1])
    """

    axes = "ghms"

    @classmethod
    def examples(cls) -> "list[GrandSiblingTrees]":
        """Return both kinds for up to 4 words."""
        return [cls(n, roots) for n in (1, 2, 3, 4) for roots in ("any", "one")]

    def weights(
        self,
        arcs: ArrayLike,
        grandparents: ArrayLike | None = None,
        siblings: ArrayLike | None = None,
        grand_siblings: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Return arcs[h, m] + grandparents[g, h, m] + siblings[h, m, s] + grand_siblings[g, h, m, s].

        The shape is (n + 1,) * 4, with -inf for what is no part of a tree.
        """
        return self._sum_of(
            arcs=("hm", arcs),
            grandparents=("ghm", grandparents),
            siblings=("hms", siblings),
            grand_siblings=("ghms", grand_siblings),
        )

    @property
    def parts(self) -> NDArray[np.bool_]:
        """Which [g, h, m, s] are parts of some tree."""
        return grandparent_parts(self.n)[..., None] & sibling_parts(self.n, self.roots)

    @property
    def graph(self) -> Hypergraph:
        """The hypergraph, of O(n³) nodes and O(n⁴) edges; built once for each n."""
        return _build(self)


@lru_cache(maxsize=16)
def _build(trees: GrandSiblingTrees) -> Hypergraph:
    n, at = trees.n, trees._at
    builder = HypergraphBuilder(num_weights=trees.num_weights)
    for i, j in spans(0 if trees.roots == "any" else 1, n):
        outer = (*range(i), *range(j + 1, n + 1)) if i > 0 else ()
        for h, m, towards in ((i, j, 1), (j, i, -1)):
            if m == 0:
                continue
            for g in (0,) if h == 0 else outer:
                first = at(g=g, h=h, m=m, s=h)
                builder.edge(("incomplete", g, h, m), half(h, m, h + towards), weight=first)
                for s in range(h + towards, m, towards):
                    inner = [("incomplete", g, h, s), ("between", h, min(s, m), max(s, m))]
                    builder.edge(("incomplete", g, h, m), inner, weight=first - h + s)
                for child in range(h + towards, m + towards, towards):
                    builder.edge(("complete", g, h, m), [("incomplete", g, h, child), *half(h, child, m)])
        # Only a word outside can have both i and j as its children; with a single root, 0 has but one.
        for h in outer if trees.roots == "any" else (word for word in outer if word > 0):
            for k in range(i, j):
                builder.edge(("between", h, i, j), [*half(h, i, k), *half(h, j, k + 1)])
    if trees.roots == "any":
        return builder.build(root=("complete", 0, 0, n))
    for child in range(1, n + 1):
        builder.edge("tree", [*half(0, child, 1), *half(0, child, n)], weight=at(g=0, h=0, m=child, s=0))
    return builder.build(root="tree")

"""Projective dependency trees, second order with grandparents (Koo & Collins 2010, Model 0).

Sums over the projective trees on words 1 … n under the artificial root 0; a tree weighs Π_{arcs h → m} w(g, h, m),
where g is the head of h, and 0 where h is the root.

Legend: nodes of the hypergraph, the paper's g-spans, for g grandparent, h head, m modifier, e the end of a side:
- ("complete", g, h, e): h, whose head is g, and all its descendants towards and up to e, on one side of h;
- ("incomplete", g, h, m): the arc h → m, where the head of h is g, and all that lies between h and m.
"""

from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from hypergraph.builder import HypergraphBuilder
from hypergraph.graph import Hypergraph
from hypergraph.structures._higher_order import HigherOrderTrees, grandparent_parts, half, spans

__all__ = ["GrandparentTrees"]


@frozen
class GrandparentTrees(HigherOrderTrees):
    """Projective trees scored by arcs and grandparents.  Weights: (n + 1,) * 3, at [g, h, m].

    Parameters
    ----------
    n : number of words, without the root
    roots : "any" number of words may depend on the root 0, or exactly "one"

    Examples
    --------
    The chance that word 1 is the grandparent of word 3, through word 2:

    >>> from hypergraph import marginals
    >>> trees = GrandparentTrees(3)
    >>> weights = trees.weights(np.zeros((4, 4)), np.zeros((4, 4, 4)))
    >>> float(marginals(trees, weights)[1, 2, 3].round(6))  # in one of 12 trees
    0.083333
    """

    axes = "ghm"

    @classmethod
    def examples(cls) -> "list[GrandparentTrees]":
        """Return both kinds for up to 4 words."""
        return [cls(n, roots) for n in (1, 2, 3, 4) for roots in ("any", "one")]

    def weights(self, arcs: ArrayLike, grandparents: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return arcs[h, m] + grandparents[g, h, m]: (n + 1,) * 3, with -inf for what is no part of a tree."""
        return self._sum_of(arcs=("hm", arcs), grandparents=("ghm", grandparents))

    @property
    def parts(self) -> NDArray[np.bool_]:
        """Which [g, h, m] are parts of some tree."""
        return grandparent_parts(self.n)

    @property
    def graph(self) -> Hypergraph:
        """The hypergraph, of O(n³) nodes and O(n⁴) edges; built once for each n."""
        return _build(self)


@lru_cache(maxsize=16)
def _build(trees: GrandparentTrees) -> Hypergraph:
    n, at = trees.n, trees._at
    builder = HypergraphBuilder(num_weights=trees.num_weights)
    for i, j in spans(0 if trees.roots == "any" else 1, n):
        for h, m in ((i, j), (j, i)):
            if m == 0:
                continue
            for g in (0,) if h == 0 else (*range(i), *range(j + 1, n + 1)):
                weight = at(g=g, h=h, m=m)
                for k in range(i, j):
                    near, far = (k, k + 1) if h == i else (k + 1, k)
                    builder.edge(("incomplete", g, h, m), [*half(g, h, near), *half(h, m, far)], weight=weight)
                for child in range(i + 1, j + 1) if h == i else range(i, j):
                    builder.edge(("complete", g, h, m), [("incomplete", g, h, child), *half(h, child, m)])
    if trees.roots == "any":
        return builder.build(root=("complete", 0, 0, n))
    for child in range(1, n + 1):
        builder.edge("tree", [*half(0, child, 1), *half(0, child, n)], weight=at(g=0, h=0, m=child))
    return builder.build(root="tree")

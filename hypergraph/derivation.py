"""One derivation of the root: a tree of edges."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from hypergraph.graph import UNWEIGHTED, Hypergraph

__all__ = ["Derivation"]


@frozen(eq=False)
class Derivation:
    """A derivation, as the list of its edges in preorder: an edge, then the derivations of its tails in order.

    A node may be derived twice, and differently, if an edge has it twice among its tails.

    Parameters
    ----------
    graph : the hypergraph
    edges : (steps,) int64, in preorder
    score : log-weight, the sum of the log-weights of the edges
    """

    graph: Hypergraph = field(repr=False)
    edges: NDArray[np.int64] = field()
    score: float = field()

    @property
    def weights(self) -> NDArray[np.int64]:
        """The indices of the weights that it uses, in preorder."""
        indices = self.graph.weight[self.edges].astype(np.int64)
        return indices[indices != UNWEIGHTED]

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The nodes that it derives, in preorder; the root first."""
        return self.graph.head[self.edges].astype(np.int64)

    def counts(self) -> NDArray[np.int64]:
        """Return (weights,): how often each weight is used."""
        return np.bincount(self.weights, minlength=self.graph.num_weights)

    def tree(self) -> tuple[Any, ...]:
        """Return nested tuples: (name of the node, tree of the first tail, tree of the second, …)."""
        trees: list[tuple[Any, ...]] = []
        for edge in self.edges[
            ::-1
        ]:  # in reverse preorder the trees of an edge's tails are the latest ones, last first
            arity = self.graph.tail_start[edge + 1] - self.graph.tail_start[edge]
            tails = [trees.pop() for _ in range(arity)]
            node = self.graph.head[edge]
            name = self.graph.node_names[node] if self.graph.node_names else int(node)
            trees.append((name, *tails))
        return trees[0]

    def __iter__(self) -> Iterator[int]:
        return iter(self.edges.tolist())

    def __len__(self) -> int:
        return len(self.edges)

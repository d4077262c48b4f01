"""One derivation of a structure: the weights that it uses and, in a hypergraph, the tree of edges."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from hypergraph.errors import NoHypergraphError
from hypergraph.graph import UNWEIGHTED, Hypergraph

__all__ = ["Derivation", "EdgeDerivation", "PartDerivation"]


@frozen(eq=False)
class Derivation(ABC):
    """What `viterbi`, `kbest` and `sample` return; `structure.decode` says what it stands for.

    Parameters
    ----------
    score : log-weight, the sum of the log-weights that it uses
    """

    score: float = field()

    @property
    @abstractmethod
    def weights(self) -> NDArray[np.int64]:
        """The indices of the weights that it uses, each as often as it is used."""

    @abstractmethod
    def counts(self) -> NDArray[np.int64]:
        """Return (weights,): how often each weight is used."""

    @property
    def graph(self) -> Hypergraph:
        """The hypergraph that it is a derivation of.

        Raises
        ------
        NoHypergraphError
            If the structure has none, and so for `edges`, `nodes` and `tree`.
        """
        raise self._no_hypergraph()

    @property
    def edges(self) -> NDArray[np.int64]:
        """The edges in preorder."""
        raise self._no_hypergraph()

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The nodes that it derives, in preorder; the root first."""
        return self.graph.head[self.edges].astype(np.int64)

    def tree(self) -> tuple[Any, ...]:
        """Return nested tuples: (name of the node, tree of the first tail, tree of the second, …)."""
        graph = self.graph
        trees: list[tuple[Any, ...]] = []
        for edge in self.edges[::-1]:  # in reverse preorder, an edge's tails have the latest trees, the first one last
            arity = graph.tail_start[edge + 1] - graph.tail_start[edge]
            tails = [trees.pop() for _ in range(arity)]
            node = graph.head[edge]
            name = graph.node_names[node] if graph.node_names else int(node)
            trees.append((name, *tails))
        return trees[0]

    def _no_hypergraph(self) -> NoHypergraphError:
        return NoHypergraphError(
            f"this derivation, of score {self.score:g}, is of a structure without a hypergraph: it has a score and "
            f"weights, but no edges, nodes or tree; structure.decode says what it stands for"
        )


@frozen(eq=False)
class EdgeDerivation(Derivation):
    """A derivation in a hypergraph, as the list of its edges in preorder: an edge, then its tails' edges in order.

    A node may be derived twice, and differently, if an edge has it twice among its tails.

    Parameters
    ----------
    score : log-weight, the sum of the log-weights of the edges
    graph : the hypergraph
    edges : (steps,) int64, in preorder
    """

    graph: Hypergraph = field(repr=False)
    edges: NDArray[np.int64] = field()

    @property
    def weights(self) -> NDArray[np.int64]:
        """The indices of the weights that it uses, in preorder."""
        indices = self.graph.weight[self.edges].astype(np.int64)
        return indices[indices != UNWEIGHTED]

    def counts(self) -> NDArray[np.int64]:
        """Return (weights,): how often each weight is used."""
        return np.bincount(self.weights, minlength=self.graph.num_weights)

    def __iter__(self) -> Iterator[int]:
        return iter(self.edges.tolist())

    def __len__(self) -> int:
        return len(self.edges)


@frozen(eq=False)
class PartDerivation(Derivation):
    """A derivation of a structure without a hypergraph, as the list of its parts.

    Parameters
    ----------
    score : log-weight, the sum of the log-weights of the parts
    weights : (parts,) int64, the index of the weight of each part
    num_weights : the number of weights of the structure
    """

    weights: NDArray[np.int64] = field()
    num_weights: int = field(repr=False)

    def counts(self) -> NDArray[np.int64]:
        """Return (weights,): how often each weight is used."""
        return np.bincount(self.weights, minlength=self.num_weights)

"""Writing a hypergraph by hand: nodes and weights go by any hashable name."""

from collections.abc import Hashable, Iterable
from graphlib import CycleError as _GraphlibCycleError
from graphlib import TopologicalSorter

import numpy as np

from autodiff.conversion import as_count
from hypergraph.errors import CycleError, GraphError
from hypergraph.graph import UNWEIGHTED, Hypergraph

__all__ = ["HypergraphBuilder"]


class HypergraphBuilder:
    """Collects edges between named nodes and makes a `Hypergraph` of them.

    Nodes and weights are numbered in the order in which they are first mentioned (nodes are moved only if that is not a
    topological order).  With `num_weights` given, weights are plain indices below it instead of names.

    Examples
    --------
    >>> from hypergraph import log_partition
    >>> builder = HypergraphBuilder()
    >>> builder.edge("noun", weight="time is a noun")
    >>> builder.edge("verb", weight="flies is a verb")
    >>> builder.edge("sentence", ["noun", "verb"], weight="rule")
    >>> graph = builder.build(root="sentence")
    >>> weights = graph.weights({"time is a noun": -1.0, "flies is a verb": -2.0, "rule": -0.5})
    >>> log_partition(graph, weights)
    -3.5
    """

    def __init__(self, *, num_weights: int | None = None) -> None:
        self._num_weights = None if num_weights is None else as_count(num_weights, "num_weights", GraphError)
        self._nodes: dict[Hashable, int] = {}
        self._weights: dict[Hashable, int] = {}
        self._head: list[int] = []
        self._tails: list[int] = []
        self._tail_start: list[int] = [0]
        self._weight: list[int] = []

    def edge(self, head: Hashable, tails: Iterable[Hashable] = (), weight: Hashable | None = None) -> None:
        """Add a way to derive `head` from `tails` (none: an axiom), multiplied by `weight` (None: by one)."""
        if isinstance(tails, str):
            raise GraphError(f"edge into {head!r}: tails is the string {tails!r}; give a list of node names")
        self._tails.extend([self._node(tail) for tail in tails])
        self._tail_start.append(len(self._tails))
        self._head.append(self._node(head))
        self._weight.append(self._weight_index(weight))

    def build(self, root: Hashable) -> Hypergraph:
        """Return the hypergraph whose derivations are those of `root`.

        Raises
        ------
        GraphError
            If nothing derives the root or some tail.
        CycleError
            If a node takes part in its own derivation.
        """
        names = list(self._nodes)
        head = np.array(self._head, dtype=np.int64)
        tails = np.array(self._tails, dtype=np.int64)
        counts = np.diff(self._tail_start)
        if root not in self._nodes:
            raise GraphError(f"the root {root!r} is unreachable: no edge mentions it")
        self._check_derivable(root, names, head)
        if (tails >= np.repeat(head, counts)).any():
            order = self._topological_order(names)
            new_number = np.empty(len(names), dtype=np.int64)
            new_number[order] = np.arange(len(names))
            names = [names[i] for i in order]
            head, tails = new_number[head], new_number[tails]
        by_head = np.argsort(head, kind="stable")
        starts = np.asarray(self._tail_start)[:-1][by_head]
        counts = counts[by_head]
        tail_start = np.concatenate([[0], np.cumsum(counts)])
        gather = np.repeat(starts - tail_start[:-1], counts) + np.arange(len(tails))
        return Hypergraph(
            head=head[by_head],
            tail_start=tail_start,
            tails=tails[gather],
            weight=np.array(self._weight, dtype=np.int64)[by_head],
            num_nodes=len(names),
            num_weights=len(self._weights) if self._num_weights is None else self._num_weights,
            root=names.index(root),
            node_names=tuple(names),
            weight_names=tuple(self._weights) if self._num_weights is None else None,
        )

    def _node(self, name: Hashable) -> int:
        return self._nodes.setdefault(name, len(self._nodes))

    def _weight_index(self, weight: Hashable | None) -> int:
        if weight is None:
            return UNWEIGHTED
        if self._num_weights is None:
            return self._weights.setdefault(weight, len(self._weights))
        if not isinstance(weight, int | np.integer) or not 0 <= weight < self._num_weights:
            raise GraphError(f"weight index {weight!r} is out of range: weights are 0 … {self._num_weights - 1}")
        return int(weight)

    def _check_derivable(self, root: Hashable, names: list[Hashable], head: np.ndarray) -> None:
        underived = np.flatnonzero(np.bincount(head, minlength=len(names)) == 0)
        if self._nodes[root] in underived:
            raise GraphError(f"the root {root!r} is unreachable: no edge has it as its head")
        if len(underived):
            name = names[underived[0]]
            edge = int(np.searchsorted(self._tail_start, self._tails.index(underived[0]), side="right")) - 1
            raise GraphError(
                f"unknown tail {name!r} in the edge into {names[head[edge]]!r}: no edge has it as its head "
                f"(an edge without tails makes it an axiom)"
            )

    def _topological_order(self, names: list[Hashable]) -> list[int]:
        sorter: TopologicalSorter[int] = TopologicalSorter({i: () for i in range(len(names))})
        for edge, head in enumerate(self._head):
            sorter.add(head, *self._tails[self._tail_start[edge] : self._tail_start[edge + 1]])
        try:
            return list(sorter.static_order())
        except _GraphlibCycleError as error:
            cycle = " → ".join(repr(names[i]) for i in error.args[1])
            raise CycleError(f"these nodes take part in their own derivation: {cycle}") from None

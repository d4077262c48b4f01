"""The best derivations in order; in a hypergraph, lazily by Huang & Chiang (2005), algorithm 3."""

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_count
from hypergraph import kernels
from hypergraph.derivation import Derivation, EdgeDerivation
from hypergraph.errors import WeightError
from hypergraph.graph import UNWEIGHTED, Hypergraph
from hypergraph.structure import Structure

__all__ = ["iterate_best", "kbest"]

# (-score, edge, ranks): the derivation that uses `edge` and, for each tail, its derivation of that rank.
_Item = tuple[float, int, tuple[int, ...]]


def kbest(structure: Structure, weights: ArrayLike, k: int) -> list[Derivation]:
    """Return the k best derivations in descending order of score, all different; fewer if there are fewer.

    Raises
    ------
    ImpossibleError
        If there is no derivation of weight above zero.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> trees = ProjectiveTrees(2)
    >>> for derivation in kbest(trees, np.array([[0, 5, 1], [0, 0, 4], [0, 2, 0]]), k=8):
    ...     print(derivation.score, trees.decode(derivation))
    9.0 [-1  0  1]
    6.0 [-1  0  0]
    3.0 [-1  2  0]
    """
    k = as_count(k, "kbest: k", WeightError, least=1)
    return [derivation for derivation, _ in zip(iterate_best(structure, weights), range(k), strict=False)]


def iterate_best(structure: Structure, weights: ArrayLike) -> Iterator[Derivation]:
    """Yield all derivations, best first; each is found when it is asked for.

    Examples
    --------
    >>> from hypergraph.structures import ProjectiveTrees
    >>> next(iterate_best(ProjectiveTrees(2), np.zeros((3, 3)))).score
    0.0
    """
    yield from structure.derivations(structure.check_weights(weights))


def best_of_graph(structure: Structure, weights: NDArray[np.float64]) -> EdgeDerivation:
    """Return the best derivation of a structure's hypergraph, for checked weights."""
    graph = structure.graph
    best_edge = np.empty(graph.num_nodes, dtype=np.int64)
    score = kernels.engine_max.inside(*graph.arrays, weights.reshape(-1), best_edge)[graph.root]
    if score == -np.inf:
        raise structure.impossible()
    edges = kernels.engine_max.trace(graph.tail_start, graph.tails, best_edge, graph.root)
    return EdgeDerivation(float(score), graph, edges)


def ranked_of_graph(structure: Structure, weights: NDArray[np.float64]) -> Iterator[EdgeDerivation]:
    """Yield the derivations of a structure's hypergraph, best first, for checked weights."""
    graph = structure.graph
    search = _LazySearch(graph, weights.reshape(-1))
    rank = 0
    while search.find(graph.root, rank):
        yield search.derivation(graph.root, rank)
        rank += 1
    if rank == 0:
        raise structure.impossible()


class _LazySearch:
    """The ranked derivations found so far at every node, and the candidates for the next."""

    def __init__(self, graph: Hypergraph, weights: NDArray[np.float64]) -> None:
        self.graph = graph
        self.log_weight = (
            np.where(graph.weight == UNWEIGHTED, 0.0, weights[graph.weight])
            if weights.size
            else (np.zeros(graph.num_edges))
        )
        best_edge = np.empty(graph.num_nodes, dtype=np.int64)
        self.best = kernels.engine_max.inside(*graph.arrays, weights, best_edge)
        self.found: dict[int, list[_Item]] = {}
        self.candidates: dict[int, list[_Item]] = {}
        self.seen: dict[int, set[tuple[int, tuple[int, ...]]]] = {}
        self.tails: dict[int, list[int]] = {}

    def find(self, node: int, rank: int) -> bool:
        """Make sure that the derivations of `node` up to `rank` are known; False if there are not so many."""
        pending = [(node, rank)]  # a stack instead of recursion: a chain is as deep as it is long
        while pending:
            node, rank = pending[-1]
            if node not in self.candidates:
                self._start(node)
            found, candidates = self.found[node], self.candidates[node]
            if len(found) > rank:
                pending.pop()
                continue
            if found:
                _, edge, ranks = found[-1]
                needed = [
                    (tail, ranks[position] + 1)
                    for position, tail in enumerate(self._tails(edge))
                    if not self._is_known(tail, ranks[position] + 1)
                ]
                if needed:
                    pending.extend(needed)
                    continue
                self._push_successors(node, edge, ranks)
            if candidates:
                found.append(heapq.heappop(candidates))
            else:
                self.candidates[node] = _EXHAUSTED
                pending.pop()
        return len(self.found[node]) > rank

    def derivation(self, node: int, rank: int) -> EdgeDerivation:
        """Return the derivation of `node` of this rank, which has been found."""
        score = -self.found[node][rank][0]
        edges, stack = [], [(node, rank)]
        while stack:
            node, rank = stack.pop()
            if rank == 0 and not self._is_known(node, 0):
                self.find(node, 0)
            _, edge, ranks = self.found[node][rank]
            edges.append(edge)
            stack.extend(zip(reversed(self._tails(edge)), reversed(ranks), strict=True))
        return EdgeDerivation(score, self.graph, np.array(edges, dtype=np.int64))

    def _tails(self, edge: int) -> list[int]:
        if edge not in self.tails:
            self.tails[edge] = self.graph.tails_of(edge).tolist()
        return self.tails[edge]

    def _is_known(self, node: int, rank: int) -> bool:
        if node not in self.candidates:
            return False
        return len(self.found[node]) > rank or self.candidates[node] is _EXHAUSTED

    def _start(self, node: int) -> None:
        """Every edge with the best derivation of each tail: their scores are known from the max-plus inside pass."""
        first, last = self.graph.edge_start[node], self.graph.edge_start[node + 1]
        items: list[_Item] = []
        for edge in range(first, last):
            tails = self._tails(edge)
            score = self._score(edge, tails, (0,) * len(tails))
            if score > -np.inf:
                items.append((-score, edge, (0,) * len(tails)))
        heapq.heapify(items)
        self.candidates[node] = items
        self.found[node] = []
        self.seen[node] = {(edge, ranks) for _, edge, ranks in items}

    def _push_successors(self, node: int, edge: int, ranks: tuple[int, ...]) -> None:
        tails = self._tails(edge)
        for position, tail in enumerate(tails):
            successor = (*ranks[:position], ranks[position] + 1, *ranks[position + 1 :])
            if successor[position] >= len(self.found[tail]) or (edge, successor) in self.seen[node]:
                continue
            self.seen[node].add((edge, successor))
            heapq.heappush(self.candidates[node], (-self._score(edge, tails, successor), edge, successor))

    def _score(self, edge: int, tails: list[int], ranks: tuple[int, ...]) -> float:
        """Return the log-weight of a derivation, added up in the order of the kernel: rounding then keeps the ranks."""
        score = self.log_weight[edge]
        for tail, rank in zip(tails, ranks, strict=True):
            score += -self.found[tail][rank][0] if rank else self.best[tail]
        return float(score)


_EXHAUSTED: list[_Item] = []
"""Stands, by identity, for the candidates of a node all of whose derivations have been found."""

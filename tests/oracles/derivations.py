"""All derivations of a hypergraph, by plain recursion."""

from itertools import product

from hypergraph import Hypergraph

__all__ = ["all_derivations"]


def all_derivations(graph: Hypergraph, node: int | None = None) -> list[tuple[int, ...]]:
    """Return every derivation of a node (by default the root), each as its edges in preorder."""
    node = graph.root if node is None else node
    found = []
    for edge in range(graph.num_edges):
        if graph.head[edge] == node:
            below = [all_derivations(graph, int(tail)) for tail in graph.tails_of(edge)]
            found += [(edge, *(step for part in choice for step in part)) for choice in product(*below)]
    return found

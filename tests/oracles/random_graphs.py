"""Random hypergraphs with everything that is allowed: repeated tails, equal edges, shared weights, useless nodes."""

import numpy as np

from hypergraph import UNWEIGHTED, Hypergraph

__all__ = ["random_hypergraph", "random_hypergraphs"]


def random_hypergraph(
    rng: np.random.Generator, *, max_nodes: int = 7, num_weights: int = 5, max_derivations: int = 400
) -> Hypergraph:
    """Return an acyclic hypergraph of arities 0 … 3 with at most `max_derivations` derivations of its root."""
    while True:
        num_nodes = int(rng.integers(1, max_nodes + 1))
        heads: list[int] = []
        tails: list[list[int]] = []
        weights: list[int] = []
        for node in range(num_nodes):
            for _ in range(rng.integers(1, 4)):
                arity = int(rng.choice(4, p=[0.15, 0.3, 0.35, 0.2])) if node else 0
                heads.append(node)
                tails.append(rng.integers(node, size=arity).tolist() if node else [])
                weights.append(int(rng.integers(UNWEIGHTED, num_weights)))
            if rng.random() < 0.2:  # the last edge once more
                heads.append(node)
                tails.append(tails[-1])
                weights.append(weights[-1])
        root = num_nodes - 1 if rng.random() < 0.8 else int(rng.integers(num_nodes))
        counts = [0] * num_nodes
        for head, below in zip(heads, tails, strict=True):
            counts[head] += int(np.prod([counts[tail] for tail in below], dtype=object))
        if counts[root] <= max_derivations:
            return Hypergraph(
                head=heads,
                tail_start=np.cumsum([0, *map(len, tails)]),
                tails=np.array([tail for below in tails for tail in below], dtype=np.int32),
                weight=weights,
                num_nodes=num_nodes,
                num_weights=num_weights,
                root=root,
            )


def random_hypergraphs(count: int, seed: int) -> list[Hypergraph]:
    """Return `count` of them."""
    rng = np.random.default_rng(seed)
    return [random_hypergraph(rng) for _ in range(count)]

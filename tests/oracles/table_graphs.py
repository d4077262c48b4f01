"""Random factor graphs of tables, with hard zeros and mixed numbers of states."""

import numpy as np

from pgm import FactorGraph
from pgm.factors import Table

__all__ = ["random_table_graph"]


def random_table_graph(
    rng: np.random.Generator,
    *,
    variables: int = 8,
    factors: int = 10,
    degree: int = 3,
    zeros: float = 0.2,
    scale: float = 1.0,
) -> FactorGraph:
    """Draw a graph that at least one assignment satisfies."""
    graph = FactorGraph()
    cards = rng.integers(1, 4, size=variables)
    for i, card in enumerate(cards):
        graph.variable(f"x{i}", int(card))
    possible = rng.integers(cards)
    for _ in range(factors):
        scope = rng.choice(variables, size=rng.integers(1, min(degree, variables) + 1), replace=False)
        table = scale * rng.normal(size=cards[scope])
        allowed = table[tuple(possible[scope])]
        table[rng.random(table.shape) < zeros] = -np.inf
        table[tuple(possible[scope])] = allowed
        graph.add(Table([graph.variable_at(int(v)) for v in scope], table))
    return graph

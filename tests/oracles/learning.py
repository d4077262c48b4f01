"""Small graphs to learn in."""

import numpy as np

from autodiff import Circuit, Parameter
from autodiff.modules import Linear, Tanh
from pgm import FactorGraph
from pgm.factors import ExactlyOne, LogLinear, Scored, Table

__all__ = ["loopy_graph", "scorer"]


def scorer(rng: np.random.Generator, size: int, outputs: int) -> Circuit:
    """Return a network of two layers."""
    circuit = Circuit("scorer")
    x = circuit.input("x")
    hidden = circuit.add(
        Tanh(),
        circuit.add(
            Linear(),
            x,
            circuit.parameter("hidden", rng.normal(size=(size, 3))),
            circuit.parameter("hidden bias", np.zeros(3)),
        ),
    )
    circuit.output(
        circuit.add(
            Linear(),
            hidden,
            circuit.parameter("out", rng.normal(size=(3, outputs))),
            circuit.parameter("out bias", rng.normal(size=outputs)),
        )
    )
    return circuit


def loopy_graph(seed: int = 0, *, hard: bool = True) -> tuple[FactorGraph, np.ndarray]:
    """Return a graph with two loops, dense, sparse, neural, fixed and hard factors, and a possible assignment."""
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    x = graph.variables("x", 4)
    y = graph.variables("y", 2, states=3)
    shared, hashed = Parameter("shared", rng.normal(size=4)), Parameter("hashed", rng.normal(size=8))
    graph.add(LogLinear(x[[[0, 1], [1, 2], [2, 3], [3, 0]]], rng.normal(size=(4, 2, 2, 4)), shared))
    graph.add(LogLinear(x[[[0], [1]]], rng.normal(size=(2, 4)), shared))
    indices, offsets = rng.integers(8, size=18), np.arange(0, 19, 3)
    possible = [[True, True, False], [True, True, True]]
    graph.add(LogLinear([x[3], y[0]], (indices, offsets), hashed, possible=possible))
    graph.add(Scored(y.ravel()[[[0], [1]]], scorer(rng, 2, 3), rng.normal(size=(2, 2))))
    graph.add(Table(y, rng.normal(size=(3, 3))))
    if hard:
        graph.add(ExactlyOne([x[0], x[2]]))
    return graph, np.array([1, 0, 0, 1, 2, 0])

"""Random factor graphs with all kinds of factors."""

import numpy as np

from pgm import FactorGraph
from pgm.factors import (
    AndWithOutput,
    AtMostOne,
    BothOn,
    Budget,
    ExactlyOne,
    Imply,
    Nand,
    Or,
    OrWithOutput,
    ProjectiveTree,
    Table,
    Tree,
    XorWithOutput,
)

__all__ = ["random_acyclic_graph", "random_loopy_graph"]

MOST_VARIABLES = 12


def random_acyclic_graph(rng: np.random.Generator, zeros: float = 0.3) -> FactorGraph:
    """Return a connected or disconnected graph without cycles: each factor joins one old variable to new ones."""
    graph = FactorGraph()
    old = [graph.variable("first", int(rng.integers(2, 4)))]
    for number in range(int(rng.integers(2, 6))):
        left = MOST_VARIABLES - graph.num_variables
        binary = [v for v in old if v.cardinality == 2]
        kind = rng.choice(["table", "table", "logic", "pair", "tree"])
        if kind == "tree" and left >= 6:
            arcs = graph.variables(f"arc{number}", shape=(3, 2))
            family = ProjectiveTree if rng.random() < 0.5 else Tree
            graph.add(family(arcs, roots=str(rng.choice(["any", "one"]))))
            old += [arcs[h, m] for h in range(3) for m in range(2)]
        elif kind == "logic" and binary and left >= 3:
            new = [graph.variable(f"b{number}.{i}") for i in range(int(rng.integers(1, 4)))]
            members = [binary[rng.integers(len(binary))], *new]
            members = [members[i] for i in rng.permutation(len(members))]
            graph.add(_logic(members, rng))
            old += new
        elif kind == "pair" and binary and left >= 1:
            new_one = graph.variable(f"p{number}")
            graph.add(BothOn([binary[rng.integers(len(binary))], new_one], [rng.normal()]))
            old.append(new_one)
        elif left >= 2:
            new = [graph.variable(f"t{number}.{i}", int(rng.integers(2, 4))) for i in range(int(rng.integers(1, 3)))]
            members = [old[rng.integers(len(old))], *new]
            graph.add(Table(members, _table([v.cardinality for v in members], rng, zeros)))
            old += new
    for variable in old:
        if rng.random() < 0.7:
            graph.add(Table([variable], _table([variable.cardinality], rng, zeros / 3)))
    return graph


def _logic(members, rng):
    negated = rng.random(len(members)) < 0.3
    kinds = [ExactlyOne, AtMostOne, Or, Nand]
    if len(members) >= 3:
        kinds += [OrWithOutput, XorWithOutput, AndWithOutput]
    if len(members) == 2:
        kinds.append(Imply)
    if rng.random() < 0.2:
        return Budget(members, int(rng.integers(1, len(members) + 1)), negated=negated)
    return kinds[rng.integers(len(kinds))](members, negated=negated)


def _table(shape, rng, zeros):
    values = rng.normal(size=shape)
    values[rng.random(values.shape) < zeros] = -np.inf
    return values


def random_loopy_graph(rng: np.random.Generator, kind: str) -> FactorGraph:
    """Return a small graph with cycles: of "tables" and a constraint, or a second-order "parse"."""
    graph = FactorGraph()
    if kind == "tables":
        x = [graph.variable(f"x{i}", card) for i, card in enumerate((2, 3, 2, 2))]
        for i, j in ((0, 1), (1, 2), (2, 3), (3, 0)):
            graph.add(Table([x[i], x[j]], rng.normal(size=(x[i].cardinality, x[j].cardinality))))
        graph.add(Table([x[0], x[1], x[2]], _table((2, 3, 2), rng, 0.1)))
        graph.add(AtMostOne([x[0], x[2], x[3]]))
        graph.add(Table([x[1]], rng.normal(size=3)))
    else:
        arcs = graph.variables("arc", shape=(4, 3))
        flat = arcs.ravel()
        graph.add(Table(flat[np.arange(12)[:, None]], np.stack([np.zeros(12), rng.normal(size=12)], axis=1)))
        graph.add(BothOn(flat[[[0, 4], [1, 5], [4, 8], [2, 6], [0, 1], [5, 9]]], rng.normal(size=6)))
        graph.add(ProjectiveTree(arcs, roots="one"))
    return graph

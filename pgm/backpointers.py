"""The assignment that max-product messages stand for, ties or not: each factor completes what is settled before it.

On a graph without cycles, the messages to a variable and what the factors above have settled decide everything below
it.  So the factors of a breadth-first spanning forest are asked from the roots to the leaves, each for a best
assignment of its own variables, given those that are settled: the backpointers of the max-product (Viterbi) algorithm.
"""

import numpy as np

from autodiff.array_types import Floats, Integers
from pgm.channel import Channel
from pgm.completions import completions
from pgm.graph import FactorGraph
from pgm.message_passing import MessagePassing
from pgm.schedules import Serial
from pgm.schedules.serial import depths

__all__ = ["best_by_tree", "follow_backpointers", "is_acyclic"]


def is_acyclic(graph: FactorGraph) -> bool:
    """Return whether the graph of variables and factors has no cycle: as many edges as nodes that are no root.

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> x = graph.variables("x", 3)
    >>> chain = graph.add(Table(x[[[0, 1], [1, 2]]], np.eye(2)))
    >>> is_acyclic(graph)
    True
    >>> closing = graph.add(Table(x[[[2, 0]]], np.eye(2)))
    >>> is_acyclic(graph)
    False
    """
    of_factor, of_variable = depths(graph, list(range(len(graph.families))))
    edges = sum(family.variables.size for family in graph.families)
    roots = sum(int((depth == 0).sum()) for depth in of_factor.values())
    return edges == graph.num_factors - roots + int((of_variable >= 0).sum())


def best_by_tree(passing: MessagePassing) -> Integers:
    """Return a best assignment (variables,) of a graph without cycles, whatever messages were passed so far."""
    graph = passing.layout.graph
    plan = graph.derived(Serial(), lambda: Serial().plan(graph))
    exact = MessagePassing(plan.layout, potentials=passing.potentials, mode="max")
    exact.base[:] = passing.base
    exact.total[:] = passing.base
    plan.start(exact)
    plan.iterate(exact)
    return follow_backpointers(exact)


def follow_backpointers(passing: MessagePassing) -> Integers:
    """Settle the variables of max-product messages from the roots of a spanning forest to its leaves.

    Exact on a graph without cycles, if the messages are.  On others a factor may find all of its variables settled by
    factors before it, and has no say.

    Raises
    ------
    ContradictionError
        If what was settled leaves a factor no choice; on a graph without cycles, only if nothing is possible.
    """
    layout = passing.layout
    of_factor, _ = depths(layout.graph, list(range(len(layout.graph.families))))
    settled = np.full(layout.graph.num_variables, -1)
    agenda: list[tuple[int, Channel, Floats, Integers]] = []
    for channel in passing.channels:
        depth = np.concatenate([of_factor[family][rows] for family, rows in channel.block.parts])
        incoming = channel.incoming(passing.total)
        agenda += [(int(at), channel, incoming, np.flatnonzero(depth == at)) for at in np.unique(depth)]
    for _, channel, incoming, rows in sorted(agenda, key=lambda entry: entry[0]):
        family = channel.block.factor
        potentials = channel.block.gather(passing.potentials)
        whole = len(rows) == family.num_factors
        factor = family if whole else family.take(rows)
        prepared = channel.prepared if whole else factor.prepare(None if potentials is None else potentials[rows])
        known = settled[factor.variables]
        found, impossible = completions(factor, prepared, incoming[rows], known)
        if impossible >= 0:
            raise channel.contradiction(int(rows[impossible]))
        settled[factor.variables] = found
    alone = np.flatnonzero(settled < 0)  # variables without factors
    for variable in alone.tolist():
        first, last = layout.start[variable : variable + 2]
        settled[variable] = int(np.argmax(passing.total[first:last]))
    return settled

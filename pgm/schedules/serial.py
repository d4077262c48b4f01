"""In serial order: up and down a spanning tree, in layers (Gormley et al. 2015, footnote 4)."""

import numpy as np
from attrs import frozen

from autodiff.array_types import Integers
from pgm import kernels
from pgm.graph import FactorGraph
from pgm.layout import Layout, Part
from pgm.message_passing import MessageStep
from pgm.schedules.base import FixedPlan, Schedule, constant_groups

__all__ = ["Serial", "depths"]


@frozen
class Serial(Schedule):
    """Visit the nodes of a breadth-first spanning tree from the leaves to the root, then back.

    The root is the factor with the most variables (the global factor; one for each component).  A node that is visited
    sends to the neighbours that come later.  The graph is bipartite, so the nodes of one layer never talk to each
    other, and a layer is one batched update.  One iteration is exact on a tree.

    Parameters
    ----------
    root_first : let the roots send their messages once at the start, before the first iteration, so that the others
        begin with what the global factor makes of the constant messages instead of with nothing

    Examples
    --------
    >>> from pgm import BeliefPropagation
    >>> BeliefPropagation(schedule=Serial(), iterations=1).schedule
    Serial(root_first=False)
    """

    root_first: bool = False

    def plan(self, graph: FactorGraph) -> FixedPlan:
        """One round a layer of factors, upwards and downwards."""
        constant, others = constant_groups(graph)
        of_factor, of_variable = depths(graph, [family for group in others for family, _ in group])
        deepest = int(of_variable.max(initial=0)) + 1
        groups: list[list[Part]] = []
        layer_of_group: list[int] = []
        for group in others:
            for layer in range(0, deepest + 1, 2):
                parts = [(family, kernels.breadth_first.factors_at(of_factor[family], layer)) for family, _ in group]
                parts = [(family, rows) for family, rows in parts if len(rows)]
                if parts:
                    groups.append(parts)
                    layer_of_group.append(layer)
        layout = Layout.of(graph, [*constant, *groups])
        layers: dict[int, list[int]] = {}
        for number, layer in enumerate(layer_of_group):
            layers.setdefault(layer, []).append(len(constant) + number)

        def steps(layer: int, towards: int) -> tuple[MessageStep, ...]:
            made = []
            for number in layers[layer]:
                variables = layout.blocks[number].factor.variables
                targets, count = kernels.breadth_first.variables_at(of_variable, variables, layer + towards)
                if count:
                    made.append(MessageStep(number, None if count == targets.size else targets))
            return tuple(made)

        up = [steps(layer, -1) for layer in sorted(layers, reverse=True)]
        down = [steps(layer, +1) for layer in sorted(layers)]
        rounds = tuple(round_ for round_ in (*up, *down) if round_)
        opening: tuple[tuple[MessageStep, ...], ...] = (tuple(MessageStep(number) for number in range(len(constant))),)
        if self.root_first and layers:
            opening = (*opening, steps(0, +1))
        return FixedPlan(layout, opening, rounds)


def depths(graph: FactorGraph, families: list[int]) -> tuple[dict[int, Integers], Integers]:
    """Return the depth of every factor of some families (even) and of every variable (odd, or -1 if it has none)."""
    some = [family for family in families if graph.families[family].num_factors]
    root = max(some, key=lambda family: graph.families[family].degree, default=None)
    if root is not None and graph.families[root].degree == graph.num_variables:  # it reaches all at once
        depths = {family: np.full(graph.families[family].num_factors, 2) for family in families}
        depths[root][0] = 0
        return depths, np.ones(graph.num_variables, dtype=np.int64)
    sizes = [graph.families[family].num_factors for family in families]
    firsts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    degrees = np.array([graph.families[family].degree for family in families], dtype=np.int64)
    degree_of = np.repeat(degrees, sizes)
    edge_start = np.concatenate([[0], np.cumsum(degree_of)])
    variables = np.concatenate([np.zeros(0, np.int64), *(graph.families[f].variables.ravel() for f in families)])
    of_factor, of_variable = np.full(firsts[-1], -1), np.full(graph.num_variables, -1)
    # Factors in descending order of degree: the first that is not yet reached is the root of its component.
    by_degree = np.concatenate(
        [np.zeros(0, np.int64), *(np.arange(firsts[i], firsts[i + 1]) for i in np.argsort(-degrees, kind="stable"))]
    )
    kernels.breadth_first.depths(edge_start, variables, by_degree, of_factor, of_variable)
    return {family: of_factor[firsts[i] : firsts[i + 1]] for i, family in enumerate(families)}, of_variable

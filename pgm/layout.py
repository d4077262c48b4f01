"""A factor graph laid out for message passing: one flat array of states, and blocks of factors updated at once."""

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats, Integers
from pgm import kernels
from pgm.factor import Factor
from pgm.graph import FactorGraph

__all__ = ["FactorBlock", "Layout", "Part"]


# Some rows of one family of the graph.
Part = tuple[int, Integers]


@frozen(eq=False)
class FactorBlock:
    """Factors of one shape that are updated together.

    Attributes
    ----------
    factor : all of them as one family
    parts : where its rows come from, family by family
    index : (F, W) the place of each entry of a message among all states
    states : the places, each once, ascending
    local : (F, W) the place in `states`
    first : where the block's contributions begin in the array of all blocks' contributions
    """

    factor: Factor = field()
    parts: tuple[Part, ...] = field(repr=False)
    index: Integers = field(repr=False)
    states: Integers = field(repr=False)
    local: Integers = field(repr=False)
    first: int = field()

    @cached_property
    def contributions(self) -> slice:
        """The block's place in the array of all blocks' contributions."""
        return slice(self.first, self.first + len(self.states))

    @cached_property
    def all_targets(self) -> NDArray[np.bool_]:
        """(F, D) of True: messages to all variables."""
        return np.ones((self.factor.num_factors, self.factor.degree), dtype=np.bool_)

    @cached_property
    def ones(self) -> Floats:
        """(F,) of 1: the counting numbers of belief propagation."""
        return np.ones(self.factor.num_factors)

    @cached_property
    def pairs(self) -> tuple[Integers, Integers, Integers, Integers]:
        """For factors over two binary variables: (F,) the local numbers of both, and the places of states 0 and 1.

        The states of a binary variable come in twos, so the local number of a variable is half that of its state.
        """
        first, second = self.local[:, 0] >> 1, self.local[:, 2] >> 1
        return first, second, self.states[0::2], self.states[1::2]

    def gather(self, potentials: Sequence[Floats | None]) -> Floats | None:
        """Return the block's potentials, from those of the graph's families."""
        if self.factor.potentials is None:
            return None
        pieces = []
        for family, rows in self.parts:
            values: Floats = potentials[family]  # type: ignore[assignment]
            pieces.append(values if _are_all(rows, len(values)) else values[rows])
        return np.concatenate(pieces)

    def scatter(self, adjoint: Floats, adjoints: Sequence[Floats | None]) -> None:
        """Add the adjoint of the block's potentials to those of the graph's families."""
        first = 0
        for family, rows in self.parts:
            target: Floats = adjoints[family]  # type: ignore[assignment]
            share = adjoint[first : first + len(rows)]
            if _are_all(rows, len(target)):
                target += share
            else:
                target[rows] += share
            first += len(rows)


@frozen(eq=False)
class Layout:
    """Blocks of factors over the states of all variables in one array: those of variable v at start[v]:start[v + 1]."""

    graph: FactorGraph = field(repr=False)
    start: Integers = field(repr=False)
    blocks: tuple[FactorBlock, ...] = field()

    @classmethod
    def of(cls, graph: FactorGraph, groups: Sequence[Sequence[Part]] | None = None) -> "Layout":
        """Lay out a graph; `groups` says which factors are updated together, by default all that can be stacked."""
        start = np.zeros(graph.num_variables + 1, dtype=np.int64)
        np.cumsum(graph.cardinalities, out=start[1:])
        blocks: list[FactorBlock] = []
        first = 0
        for group in groups if groups is not None else stackable(graph):
            factors = [_rows_of(graph.families[family], rows) for family, rows in group]
            factor = factors[0] if len(factors) == 1 else type(factors[0]).stack(factors)
            index, states, local = kernels.places.places(factor.variables, start, factor.offsets)
            blocks.append(FactorBlock(factor, tuple(group), index, states, local, first))
            first += len(states)
        return cls(graph, start, tuple(blocks))

    @property
    def num_states(self) -> int:
        """The number of states of all variables together."""
        return int(self.start[-1])

    @cached_property
    def variable_of_state(self) -> Integers:
        """(states,)."""
        return np.repeat(np.arange(self.graph.num_variables), self.graph.cardinalities)

    @cached_property
    def degrees(self) -> Integers:
        """(variables,): the number of factors at each variable."""
        edges = [block.factor.variables.ravel() for block in self.blocks]
        return np.bincount(np.concatenate([[], *edges]).astype(np.int64), minlength=self.graph.num_variables)

    @cached_property
    def contributors(self) -> tuple[Integers, Integers]:
        """For each state (CSR: start, positions) where its contributions lie in the array of all blocks'."""
        states = np.concatenate([np.zeros(0, dtype=np.int64), *(block.states for block in self.blocks)])
        return kernels.places.by_state(states, self.num_states)

    @cached_property
    def num_contributions(self) -> int:
        """The length of the array of all blocks' contributions."""
        return sum(len(block.states) for block in self.blocks)


def stackable(graph: FactorGraph) -> list[list[Part]]:
    """Group the families of a graph, but those without factors, so that each group can be one block."""
    groups: dict[Hashable, list[Part]] = {}
    for number, family in enumerate(graph.families):
        if not family.num_factors:
            continue
        key = family.merge_key()
        rows = np.arange(family.num_factors)
        groups.setdefault(("alone", number) if key is None else ("together", type(family), key), []).append(
            (number, rows)
        )
    return list(groups.values())


def _rows_of(family: Factor, rows: Integers) -> Factor:
    return family if _are_all(rows, family.num_factors) else family.take(rows)


def _are_all(rows: Integers, count: int) -> bool:
    """Whether these are all rows, in their order."""
    return len(rows) == count == kernels.places.range_length(rows)

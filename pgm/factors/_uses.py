"""Which weight of a hypergraph belongs to which state of which variable of a factor."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Integers
from hypergraph import Hypergraph
from hypergraph.structure import Structure
from pgm import kernels
from pgm.errors import FactorGraphError

__all__ = ["Uses", "as_pairs"]


LARGEST_CHECK = 3_000_000
"""Edges times variables up to which a mapping is checked by itself: some milliseconds."""


@frozen(eq=False)
class Uses:
    """A mapping from weights to states, in the forms that the passes need.

    Attributes
    ----------
    slot : (weights,) the place of the weight's state in a row of messages, -1 for a weight that belongs to no variable
    position : (weights,) its variable, -1 for none
    default_slot : (D,) the place of each variable's default state, -1 where it has none
    default_of_weight : (weights,) the place of the default state of the weight's variable, -1 where there is none
    group : (D,) the group of each variable, -1 for none; of a group exactly one variable is on in every derivation
    possible : (weights,) whether a derivation may use the weight at all
    """

    graph: Hypergraph = field(repr=False)
    slot: Integers = field(repr=False)
    position: Integers = field(repr=False)
    default_slot: Integers = field(repr=False)
    default_of_weight: Integers = field(repr=False)
    group: Integers = field(repr=False)
    members: Integers = field(repr=False)
    member_start: Integers = field(repr=False)
    possible: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def of(
        cls,
        name: str,
        structure: Structure,
        pairs: Integers,
        cardinalities: tuple[int, ...],
        default: ArrayLike | None,
        groups: ArrayLike | None,
        possible: ArrayLike | None,
    ) -> "Uses":
        """Check a mapping, (weights, 2) with (position, state) or (-1, -1), and put it into these forms."""
        degree = len(cardinalities)
        cards = np.array(cardinalities)
        position, state = pairs.T
        wrong = (position < -1) | (position >= degree) | ((position == -1) & (state != -1))
        wrong |= (position >= 0) & ((state < 0) | (state >= cards[np.where(wrong, 0, position)]))
        if wrong.any():
            k = int(np.argmax(wrong))
            raise FactorGraphError(
                f"{name}: {structure.weight_name(k)} (index {k}) is for state {state[k]} of the variable at position "
                f"{position[k]}, but there are {degree} variables with {cardinalities} states; (-1, -1) is for none"
            )
        states = np.broadcast_to(np.asarray(-1 if default is None else default, dtype=np.int64), (degree,))
        if (states < -1).any() or (states >= cards).any():
            d = int(np.argmax((states < -1) | (states >= cards)))
            raise FactorGraphError(f"{name}: position {d} has {cards[d]} states, so {states[d]} cannot be its default")
        offsets = np.concatenate([[0], np.cumsum(cards)])
        default_slot = np.where(states >= 0, offsets[:-1] + states, -1)
        slot = np.where(position >= 0, offsets[position] + state, -1)
        default_of_weight = np.where(position >= 0, default_slot[position], -1)
        clash = (slot >= 0) & (slot == default_of_weight)
        if clash.any():
            k = int(np.argmax(clash))
            raise FactorGraphError(
                f"{name}: {structure.weight_name(k)} (index {k}) is for the default state of position {position[k]}; "
                f"a variable has its default state where a derivation uses none of its weights"
            )
        group = np.full(degree, -1) if groups is None else np.array(np.broadcast_to(groups, (degree,)), dtype=np.int64)
        group[default_slot < 0] = -1
        order = np.argsort(group, kind="stable")
        members = order[group[order] >= 0]
        count = int(group.max(initial=-1)) + 1
        start = np.searchsorted(group[members], np.arange(count + 1))
        allowed = np.ones(len(pairs), dtype=np.bool_) if possible is None else np.array(possible, dtype=np.bool_)
        return cls(
            structure.graph, slot, np.ascontiguousarray(position), default_slot, default_of_weight,
            group, members, start, allowed,
        )  # fmt: skip

    def check(self, name: str) -> None:
        """Refuse a mapping under which a derivation does not give every variable one state.

        Raises
        ------
        FactorGraphError
            If a derivation uses two weights of a variable, or none where it has no default state.
        """
        fewest, most = np.empty_like(self.default_slot), np.empty_like(self.default_slot)
        kernels.derivations.use_counts(
            *self.graph.arrays, self.graph.root, self.position, self.possible, fewest, most
        )  # fmt: skip
        if (most > 1).any():
            d = int(np.argmax(most > 1))
            raise FactorGraphError(
                f"{name}: some derivation uses {most[d]} weights of the variable at position {d}; a derivation uses "
                f"at most one, which is the variable's state"
            )
        stateless = (fewest == 0) & (self.default_slot < 0)
        if stateless.any():
            d = int(np.argmax(stateless))
            raise FactorGraphError(
                f"{name}: some derivation uses no weight of the variable at position {d}, which has no default state; "
                f"say with `default` which state that means"
            )

    @property
    def is_small(self) -> bool:
        """Whether `check` takes no time to speak of."""
        return self.graph.num_edges * len(self.default_slot) <= LARGEST_CHECK


def as_pairs(structure: Structure, uses: Mapping[Any, tuple[int, int]] | ArrayLike) -> Integers:
    """Return a mapping as an array (weights, 2), from that or from {weight (its name or index): (position, state)}."""
    pairs = np.full((structure.num_weights, 2), -1)
    if isinstance(uses, Mapping):
        names = structure.graph.weight_names
        number = {name: k for k, name in enumerate(names)} if names else dict.fromkeys(range(len(pairs)))
        for weight, pair in uses.items():
            if weight not in number:
                raise FactorGraphError(f"uses: the structure has no weight {weight!r}; it has {list(number)[:10]} …")
            pairs[number[weight] if names else weight] = pair
        return pairs
    array = np.asarray(uses, dtype=np.int64)
    if array.shape != pairs.shape:
        raise FactorGraphError(f"uses is of shape {pairs.shape}, (position, state) for each weight; not {array.shape}")
    return array

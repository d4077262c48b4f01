"""The parts of a sentence that a model scores: candidate arcs, and pairs of them."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Integers
from nlp.deps import kernels

__all__ = ["Parts"]


@frozen(eq=False)
class Parts:
    """Candidate arcs of a sentence of n words, sorted by modifier and then by head.

    Attributes
    ----------
    n : number of words
    heads, modifiers : (arcs,)

    Examples
    --------
    >>> parts = Parts.all_arcs(2)
    >>> parts.heads.tolist(), parts.modifiers.tolist()
    ([0, 2, 0, 1], [1, 1, 2, 2])
    >>> parts.grandparents.tolist()      # 0 → 2 → 1 and 0 → 1 → 2
    [[2, 1], [0, 3]]
    >>> parts.siblings.tolist()          # 0 → 1 and 0 → 2
    [[0, 2]]
    """

    n: int = field()
    heads: Integers = field(repr=False)
    modifiers: Integers = field(repr=False)
    _derived: dict[str, Any] = field(factory=dict, init=False, repr=False)

    @classmethod
    def all_arcs(cls, n: int) -> "Parts":
        """Return every arc between two words, and from the root."""
        return cls.of_mask(np.ones((n + 1, n + 1), dtype=np.bool_))

    @classmethod
    def of_mask(cls, allowed: NDArray[np.bool_]) -> "Parts":
        """Return the arcs h → m for which allowed[h, m] holds; loops and arcs into the root never do."""
        return cls(len(allowed) - 1, *kernels.arcs.of_mask(np.asarray(allowed)))

    def __len__(self) -> int:
        return len(self.heads)

    @cached_property
    def start(self) -> Integers:
        """(n + 2,): the arcs into word m are start[m]:start[m + 1]."""
        return np.searchsorted(self.modifiers, np.arange(self.n + 2)).astype(np.int64)

    @cached_property
    def grandparents(self) -> Integers:
        """(pairs, 2): the arcs g → h and h → m, by number."""
        return kernels.pairs.grandparents(self.heads, self.modifiers, self.start)

    @cached_property
    def siblings(self) -> Integers:
        """(pairs, 2): the arcs h → m and h → s with m before s, by number."""
        return kernels.pairs.siblings(self.heads, self.modifiers, self.n)

    def derived(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what `make` makes of these arcs, made once."""
        if name not in self._derived:
            self._derived[name] = make()
        return self._derived[name]

    def matrix(self, values: ArrayLike, fill: float) -> NDArray[np.float64]:
        """Return (n + 1, n + 1) with the arcs' values at [h, m], and `fill` elsewhere."""
        result = np.full((self.n + 1, self.n + 1), fill)
        result[self.heads, self.modifiers] = values
        return result

    def indicator(self, heads: Integers) -> NDArray[np.float64]:
        """Return (arcs,): 1 for the arcs of a tree, given the head of each word (n,)."""
        return (heads[self.modifiers - 1] == self.heads).astype(np.float64)

    def numbers(self, heads: Integers) -> Integers:
        """Return (n,): the number of the arc to each word in a tree of candidate arcs."""
        number = np.zeros((self.n + 1, self.n + 1), dtype=np.int64)
        number[self.heads, self.modifiers] = np.arange(len(self))
        return np.asarray(number[heads, np.arange(1, self.n + 1)])

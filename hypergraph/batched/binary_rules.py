"""The binary rules of a grammar in the order in which the kernels read them."""

from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike

from autodiff.array_types import Integers
from autodiff.conversion import as_count, as_integers
from hypergraph.errors import GrammarError

__all__ = ["BinaryRules"]


def _ints(values: ArrayLike) -> Integers:
    return np.array(as_integers(values, "parent, left and right", GrammarError), order="C")


def _count(value: int) -> int:
    return as_count(value, "BinaryRules: symbols", GrammarError)


@frozen(eq=False)
class BinaryRules:
    """Rules A → B C over the symbols 0 … symbols - 1; make it once for a grammar and use it for every batch.

    Parameters
    ----------
    symbols : number of symbols
    parent, left, right : (rules,) the symbols A, B and C of each rule

    Raises
    ------
    GrammarError
        If the arrays differ in shape, or a symbol is not below `symbols`.

    Examples
    --------
    >>> rules = BinaryRules(3, parent=[0, 1, 2], left=[1, 1, 1], right=[2, 0, 2])
    >>> rules.order, rules.pairs.tolist()  # the third rule has the same children as the first
    (array([1, 0, 2]), [[1, 0], [1, 2]])
    """

    symbols: int = field(converter=_count)
    parent: Integers = field(converter=_ints)
    left: Integers = field(converter=_ints)
    right: Integers = field(converter=_ints)

    def __attrs_post_init__(self) -> None:
        columns = (self.parent, self.left, self.right)
        if any(column.ndim != 1 or column.shape != self.parent.shape for column in columns):
            raise GrammarError(
                f"parent, left and right have a number for each rule, but their shapes are {[c.shape for c in columns]}"
            )
        for name, column in zip(("parent", "left", "right"), columns, strict=True):
            bad = np.flatnonzero((column < 0) | (column >= self.symbols))
            if len(bad):
                raise GrammarError(f"{name}[{bad[0]}] is {column[bad[0]]}, but the symbols are 0 … {self.symbols - 1}")

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def order(self) -> Integers:
        """(rules,): the rules sorted by their children; among the same children as they came."""
        return np.lexsort((self.right, self.left))

    @cached_property
    def parents(self) -> Integers:
        """(rules,): the parents in that order."""
        return self.parent[self.order]

    @cached_property
    def _pairs(self) -> tuple[Integers, Integers]:
        children = np.stack([self.left, self.right], axis=1)[self.order]
        pairs, first = np.unique(children, axis=0, return_index=True)
        return np.ascontiguousarray(pairs), np.append(first, len(self))

    @property
    def pairs(self) -> Integers:
        """(pairs, 2): the different pairs of children."""
        return self._pairs[0]

    @property
    def first_rule(self) -> Integers:
        """(pairs + 1,): where, in that order, the rules of each pair begin."""
        return self._pairs[1]

    @cached_property
    def rank(self) -> Integers:
        """(rules,): the place of each rule in that order; the inverse of `order`."""
        return np.argsort(self.order)

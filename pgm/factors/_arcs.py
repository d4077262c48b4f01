"""What the factors over dependency arcs share: which variable is which arc, and their messages in odds form.

Legend: `n` words and the root 0; `h` head; `m` modifier; A arcs; F factors; matrices
(F, n + 1, n + 1) are indexed [h, m].
"""

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats, Integers
from hypergraph.errors import ImpossibleError
from hypergraph.heads import has_crossing, is_tree
from hypergraph.roots import has_one_root
from hypergraph.structures import DependencyTrees
from pgm import kernels
from pgm.errors import FactorGraphError
from pgm.variables import VariableArray

__all__ = ["ArcLayout", "ArcOdds", "best_arcs", "check_roots"]


@frozen(eq=False)
class ArcLayout:
    """The arc that each position of a factor stands for.

    A position whose head is its modifier (an array over all of (n + 1, n) has them) is no arc: it is always OFF.

    Attributes
    ----------
    n : the number of words
    heads, modifiers : (A,)
    loops : (A,), True where the head is the modifier
    """

    n: int = field()
    heads: Integers = field()
    modifiers: Integers = field()
    loops: NDArray[np.bool_] = field()

    @classmethod
    def of(
        cls,
        name: str,
        arcs: Any,
        heads: ArrayLike | None = None,
        modifiers: ArrayLike | None = None,
        n: int | None = None,
    ) -> tuple[Any, "ArcLayout"]:
        """Return the variables as `Factor` takes them, (F, A), and the layout.

        Parameters
        ----------
        name : of the factor, for errors
        arcs : without `heads` and `modifiers`: an array of shape (n + 1, n), with the arc h → m at [h, m - 1], or
            (F, n + 1, n) for a family; with them: a list or array (A,) of arc variables, or an array (F, A)
        heads, modifiers : (A,), the arc of each variable; arcs that are not there are pruned
        n : the number of words; the greatest number in `heads` and `modifiers` if not given
        """
        if (heads is None) != (modifiers is None):
            raise FactorGraphError(f"{name}: give both heads and modifiers, or neither")
        if heads is None or modifiers is None:
            arcs, head_array, modifier_array, n = _full_array(name, arcs, n)
        else:
            head_array = np.array(heads, dtype=np.int64).reshape(-1)
            modifier_array = np.array(modifiers, dtype=np.int64).reshape(-1)
            if isinstance(arcs, list | tuple) and all(isinstance(arc, int | np.integer) for arc in arcs):
                arcs = np.array(arcs, dtype=np.int64)
        count = _last_length(arcs)
        if not len(head_array) == len(modifier_array) == count:
            raise FactorGraphError(
                f"{name}: {count} arc variables, {len(head_array)} heads and {len(modifier_array)} modifiers; "
                f"there must be as many of each"
            )
        if n is None:
            n = int(max(head_array.max(initial=0), modifier_array.max(initial=0)))
        _check(name, n, head_array, modifier_array)
        return arcs, cls(n, head_array, modifier_array, head_array == modifier_array)

    def scatter(self, values: Floats, *, fill: float = -np.inf) -> Floats:
        """Return (F, n + 1, n + 1) with the arcs' values (F, A) in their places, `fill` elsewhere (also at loops)."""
        matrix = np.full((len(values), self.n + 1, self.n + 1), fill)
        matrix[:, self.heads, self.modifiers] = np.where(self.loops, fill, values)
        return matrix

    def gather(self, matrix: Floats) -> Floats:
        """Return (F, A): the entries of (F, n + 1, n + 1) that belong to the arcs (at loops: the diagonal's)."""
        return np.ascontiguousarray(matrix[:, self.heads, self.modifiers])

    def is_tree(self, assignment: Integers, *, one_root: bool, projective: bool = False) -> NDArray[np.bool_]:
        """Return (F,): whether the arcs that are ON in an assignment (F, A) are a tree that hangs on 0."""
        return np.array([self._is_tree(row, one_root, projective) for row in np.asarray(assignment)], dtype=np.bool_)

    def _is_tree(self, row: Integers, one_root: bool, projective: bool) -> bool:
        on = np.flatnonzero(row)
        heads = np.full(self.n + 1, -1, dtype=np.int64)
        heads[self.modifiers[on]] = self.heads[on]
        return len(on) == self.n and is_tree(heads, one_root=one_root) and not (projective and has_crossing(heads))


@frozen(eq=False)
class ArcOdds:
    """Messages to binary variables as log-odds ON : OFF.

    Attributes
    ----------
    log_odds : (F, A); +inf where only ON is possible; -inf where only OFF is, where neither is, and at loops
    constant : (F,), Σ log m(OFF), with m(ON) in place of m(OFF) where only ON is possible (its odds then count as 1);
        -inf where a variable has no possible state, or a loop must be ON
    """

    log_odds: Floats = field()
    constant: Floats = field()

    @classmethod
    def of(cls, incoming: Floats, layout: ArcLayout) -> "ArcOdds":
        """Read messages (F, 2 A), OFF before ON for each arc."""
        off, on = incoming[:, 0::2], incoming[:, 1::2]
        nothing = (off == -np.inf) & ((on == -np.inf) | layout.loops)
        certain = (off == -np.inf) & ~nothing
        with np.errstate(invalid="ignore"):
            log_odds = on - off
        log_odds[nothing | layout.loops] = -np.inf
        constant = np.where(certain, on, off).sum(axis=1)
        return cls(log_odds, constant)


def check_roots(name: str, roots: str) -> bool:
    """Return whether the root has exactly one child; `name` is that of the factor, for errors."""
    try:
        return has_one_root(roots)
    except ValueError as error:
        raise FactorGraphError(f"{name}: {error}") from None


def best_arcs(layout: ArcLayout, incoming: Floats, trees: DependencyTrees) -> tuple[Integers, int]:
    """Return the states (F, A) of the arcs of the best tree of each factor, and a factor without a tree, or -1.

    Parameters
    ----------
    trees : among which the best one is sought
    """
    odds = ArcOdds.of(incoming, layout)
    scores = layout.scatter(odds.log_odds)
    certain = scores == np.inf
    words = certain.any(axis=1, keepdims=True)
    scores = np.where(words, np.where(certain, 0.0, -np.inf), scores)  # a certain arc leaves its word no other
    impossible = (odds.constant == -np.inf) | (certain.sum(axis=1) > 1).any(axis=1)
    states = np.zeros((len(incoming), len(layout.heads)), dtype=np.int64)
    for row in range(len(incoming)):
        if impossible[row]:
            return states, row
        try:
            heads = trees.best(scores[row])[1]
        except ImpossibleError:
            return states, row
        states[row] = (heads[layout.modifiers] == layout.heads) & ~layout.loops
    return states, -1


def _full_array(name: str, arcs: Any, n: int | None) -> tuple[Any, Integers, Integers, int]:
    """Return the variables as (F, A) with the heads and modifiers of an array (n + 1, n) or (F, n + 1, n)."""
    index = arcs.index if isinstance(arcs, VariableArray) else np.asarray(arcs)
    if index.ndim not in (2, 3) or index.shape[-2] != index.shape[-1] + 1 or index.shape[-1] != (n or index.shape[-1]):
        raise FactorGraphError(
            f"{name}: arc variables of shape {index.shape}; without heads and modifiers they are (n + 1, n), with the "
            f"arc h → m at [h, m - 1], or (factors, n + 1, n)"
        )
    n = int(index.shape[-1])
    heads, modifiers = np.divmod(np.arange((n + 1) * n), n)
    flat = index.reshape(-1, (n + 1) * n)
    if isinstance(arcs, VariableArray):
        return VariableArray(arcs.graph, flat, arcs.name, arcs.states), heads, modifiers + 1, n
    return flat, heads, modifiers + 1, n


def _last_length(arcs: Any) -> int:
    """Return A for an array (…, A), or for a list with an entry for each arc."""
    if isinstance(arcs, VariableArray | np.ndarray):
        return int(arcs.shape[-1]) if arcs.shape else 1
    return len(arcs)


def _check(name: str, n: int, heads: Integers, modifiers: Integers) -> None:
    flaw, at = kernels.arcs.flaw(heads, modifiers, n)
    if flaw == kernels.arcs.OUTSIDE:
        raise FactorGraphError(
            f"{name}: arc {at} is {heads[at]} → {modifiers[at]}; heads are 0 (the root) to {n}, modifiers 1 to {n}"
        )
    if flaw == kernels.arcs.TWICE:
        raise FactorGraphError(f"{name}: the arc {heads[at]} → {modifiers[at]} is there twice")
    if flaw == kernels.arcs.HEADLESS:
        raise FactorGraphError(f"{name}: word {at} has no arc into it, so there is no tree")

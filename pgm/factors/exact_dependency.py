"""Second-order projective dependency trees as one factor: the exact counterpart of the loopy model."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats, Integers
from hypergraph import structures
from hypergraph.roots import Roots
from pgm.errors import FactorGraphError
from pgm.factors._arcs import ArcLayout
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.log_potentials import check_log_potentials
from pgm.variables import as_index

__all__ = ["ExactDependency"]


class ExactDependency(HypergraphFactor):
    """Projective trees (PTREE) scored by grandparents, adjacent siblings or both.

    log ψ of a projective tree is the sum over its arcs h → m of grandparents[g, h, m], where g is the head of h (0
    where h = 0), and of siblings[h, m, s], where s is the next child of h between h and m (h where there is none); of
    anything else it is -inf.  Messages take O(n⁴), with grandparents, or O(n³) with siblings only.

    Parameters
    ----------
    arcs, heads, modifiers, n, roots : as in `ProjectiveTree`
    grandparents : (n + 1, n + 1, n + 1) at [g, h, m], or (factors, …); None for no such parts
    siblings : (n + 1, n + 1, n + 1) at [h, m, s], or (factors, …); None for no such parts

    The potentials are (factors, kinds, n + 1, n + 1, n + 1): grandparents, then siblings, of those that are given.
    Entries that are part of no tree mean nothing; their beliefs and gradients are 0.

    References
    ----------
    Koo & Collins (2010), Models 0 and 1; Smith & Eisner (2008), §7.3, "Exact" against loopy belief propagation.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> arcs = FactorGraph().variables("arc", shape=(4, 3))
    >>> grandparents = np.zeros((4, 4, 4))
    >>> grandparents[1, 2, 3] = np.log(5.0)  # the tree 0 → 1 → 2 → 3, one of twelve, counts five times
    >>> exact = ExactDependency(arcs, grandparents=grandparents)
    >>> run = exact.run(np.zeros((1, 24)), exact.prepare(exact.potentials))
    >>> np.exp(run.log_partition).round(9), float(run.beliefs[0, 0, 1, 2, 3].round(6))
    (array([16.]), 0.3125)
    """

    def __init__(
        self,
        arcs: Any,
        heads: ArrayLike | None = None,
        modifiers: ArrayLike | None = None,
        n: int | None = None,
        roots: Roots = "any",
        *,
        grandparents: ArrayLike | None = None,
        siblings: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        name = name or type(self).__name__
        variables, layout = ArcLayout.of(name, arcs, heads, modifiers, n)
        given = {"ghm": grandparents, "hms": siblings}
        self.kinds = tuple(axes for axes, values in given.items() if values is not None)
        if not self.kinds:
            raise FactorGraphError(f"{name}: give grandparents, siblings or both; without them, it is a ProjectiveTree")
        structure = _structure(self.kinds, layout.n, roots)
        cube = (layout.n + 1,) * 3
        factors = as_index(variables).shape[0]
        tables = [check_log_potentials(name, given[axes], (factors, *cube)) for axes in self.kinds]  # type: ignore[arg-type]
        at = dict(zip(structure.axes, np.indices(structure.shape).reshape(len(structure.axes), -1), strict=True))
        number = np.full((layout.n + 1,) * 2, -1)
        real = np.flatnonzero(~layout.loops)
        number[layout.heads[real], layout.modifiers[real]] = real
        position = number[at["h"], at["m"]]
        terms = [
            np.ravel_multi_index((np.full_like(position, kind), *(at[letter] for letter in axes)), (2, *cube))
            for kind, axes in enumerate(self.kinds)
        ]
        possible = structure.parts.ravel() & (position >= 0)
        super().__init__(
            variables, structure, np.stack([position, np.where(position >= 0, 1, -1)], axis=1), default=0,
            log_potentials=np.stack(tables, axis=1), shape=(len(self.kinds), *cube),
            terms=np.where(possible[:, None], np.stack(terms, axis=1), -1),
            groups=np.where(layout.loops, -1, layout.modifiers - 1), possible=possible,
            cardinalities=(2,) * len(layout.heads), check=False, name=name,
        )  # fmt: skip
        if set(self.cardinalities) != {2}:
            raise FactorGraphError(f"{self.name}: arcs are variables with 2 states, not {max(self.cardinalities)}")
        self.layout, self.roots = layout, roots

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the sum of the parts of a projective tree, and -inf for anything else."""
        assert self.log_potentials is not None
        states = self.states_of(assignment)
        result = np.full(self.num_factors, -np.inf)
        for row in np.flatnonzero(self.layout.is_tree(states, one_root=self.roots == "one", projective=True)):
            on = np.flatnonzero(states[row])
            heads = np.zeros(self.layout.n + 1, dtype=np.int64)
            heads[self.layout.modifiers[on]] = self.layout.heads[on]
            kinds = zip(self.kinds, self.log_potentials[row], strict=True)
            result[row] = sum(table[part] for axes, table in kinds for part in _parts(heads, axes))
        return result

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["ExactDependency"]:
        """Yield each kind for up to three words, and for four with few arcs."""
        kinds: tuple[Roots, ...] = ("any", "one")
        for roots in kinds:
            for n in (1, 2, 3):
                grandparents, siblings = rng.normal(size=(2, 2, n + 1, n + 1, n + 1))
                arcs = np.arange(2 * (n + 1) * n).reshape(2, n + 1, n)
                yield cls(arcs, roots=roots, grandparents=grandparents, siblings=siblings)
                yield cls(arcs, roots=roots, grandparents=grandparents)
                yield cls(arcs, roots=roots, siblings=siblings)
            heads, modifiers = [0, 2, 2, 3, 0, 4, 4, 1, 2], [2, 1, 3, 4, 4, 2, 3, 2, 4]
            grandparents, siblings = rng.normal(size=(2, 5, 5, 5))
            siblings[2, 4, 3] = -np.inf
            yield cls(np.arange(9), heads, modifiers, 4, roots, grandparents=grandparents, siblings=siblings)


def _structure(kinds: tuple[str, ...], n: int, roots: Roots) -> Any:
    if len(kinds) == 2:
        return structures.GrandSiblingTrees(n, roots)
    return structures.GrandparentTrees(n, roots) if kinds == ("ghm",) else structures.SiblingTrees(n, roots)


def _parts(heads: Integers, axes: str) -> Iterable[tuple[int, int, int]]:
    """Yield the parts [g, h, m] or [h, m, s] of a tree, by their definition."""
    for m in range(1, len(heads)):
        h = int(heads[m])
        if axes == "ghm":
            yield int(heads[h]), h, m
        else:
            inwards = range(m - 1, h, -1) if h < m else range(m + 1, h)
            yield h, m, next((s for s in inwards if heads[s] == h), h)

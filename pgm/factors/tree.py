"""TREE: the arcs that are ON are a dependency tree, projective or not (Smith & Eisner 2008, §3.3 and §5)."""

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from hypergraph.nonprojective import TreeSums, best_escape
from hypergraph.roots import Roots
from hypergraph.structures import NonprojectiveTrees
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.factor_run import FactorRun
from pgm.factors._arcs import ArcLayout, ArcOdds, best_arcs, check_roots
from pgm.factors._leave_one_out import LeaveOneOutLogSum, leave_one_out_max

__all__ = ["Tree"]


class Tree(Factor):
    """1 if the arcs that are ON give each word exactly one head and all words hang on the root 0; 0 otherwise.

    Sums over trees by the matrix-tree theorem (Koo et al. 2007; Smith & Smith 2007), but without a subtraction: right
    to the last digits however confident the messages are.  Sum- and max-product, and the backward pass, are O(n³)
    (`hypergraph.nonprojective`).

    Parameters
    ----------
    arcs : binary variables with states OFF and ON: an array of shape (n + 1, n) with the arc h → m at [h, m - 1] (its
        entries with h = m are always OFF), or (factors, n + 1, n) for a family; or, with `heads` and `modifiers`, a
        list or array (A,) of them, or (factors, A) for a family
    heads, modifiers : (A,), which arc each variable is; arcs that are not given are pruned
    n : the number of words, if it does not follow from the rest
    roots : "any" number of children of the root, or exactly "one"

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.add(Tree(graph.variables("arc", shape=(4, 3)), roots="one"))
    <Tree: 1 factors over 12 variables>
    """

    row_fields = ()

    def __init__(
        self,
        arcs: Any,
        *,
        heads: ArrayLike | None = None,
        modifiers: ArrayLike | None = None,
        n: int | None = None,
        roots: Roots = "any",
        name: str | None = None,
    ) -> None:
        variables, self.layout = ArcLayout.of(name or type(self).__name__, arcs, heads, modifiers, n)
        super().__init__(variables, name=name)
        self.roots: Roots = roots
        self.one_root = check_roots(self.name, roots)
        if set(self.cardinalities) != {2}:
            raise FactorGraphError(f"{self.name}: arcs are variables of two states, OFF and ON")

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return 0 for a tree, -inf for what is none."""
        return np.where(self.layout.is_tree(self.states_of(assignment), one_root=self.one_root), 0.0, -np.inf)

    def run(self, incoming: Floats, prepared: None) -> "TreeRun":
        """Sum over trees in the odds of the messages."""
        incoming = self.check_incoming(incoming)
        return TreeRun(incoming, self)

    def max_messages(self, incoming: Floats, prepared: None) -> Floats:
        """Return messages from the scores of the best tree with and without each arc."""
        incoming = self.check_incoming(incoming)
        odds = ArcOdds.of(incoming, self.layout)
        scores = self.layout.scatter(odds.log_odds)
        escape = best_escape(scores, self.roots)
        rest = leave_one_out_max(_by_word(_product(scores, escape)))
        return _messages(self.layout, escape, _from_words(rest, scores.shape), odds.constant == -np.inf)

    def best(self, incoming: Floats, prepared: None) -> NDArray[np.int64]:
        """Return the arcs of the best tree (Chu & Liu 1965; Edmonds 1967).  O(n²)."""
        found, impossible = best_arcs(self.layout, incoming, NonprojectiveTrees(self.layout.n, self.roots))
        if impossible >= 0:
            raise self.contradiction(impossible)
        return found

    def merge_key(self) -> Hashable:
        """Trees with the same arcs can be stacked."""
        return "Tree", self.roots, self.layout.n, self.layout.heads.tobytes(), self.layout.modifiers.tobytes()

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Tree"]:
        """Yield trees over all arcs and over some, with any number of roots and with one."""
        pruned = [(0, 1), (2, 1), (3, 1), (0, 2), (1, 2), (4, 2), (0, 3), (2, 3), (3, 4), (1, 4)]
        heads, modifiers = np.array(pruned).T
        every_roots: tuple[Roots, ...] = ("any", "one")
        for roots in every_roots:
            yield cls(np.arange(4).reshape(2, 2, 1), roots=roots)
            yield cls(np.arange(6).reshape(3, 2), roots=roots)
            yield cls(np.arange(12).reshape(4, 3), roots=roots)
            yield cls(np.arange(20).reshape(2, 10), heads=heads, modifiers=modifiers, roots=roots)
            yield cls(np.arange(4), heads=[0, 1, 1, 2], modifiers=[1, 2, 3, 3], n=3, roots=roots)


class TreeRun(FactorRun):
    """Sum-product through a tree, in odds form: an arc's weight is m(ON) / m(OFF).

    With e(h, m) that does not depend on arcs into m (`TreeSums.log_escape`), the trees with the arc h → m, without its
    own weight, are to those without it as e(h, m) to Σ_{h' ≠ h} w(h' → m) e(h', m).
    """

    def __init__(self, incoming: Floats, factor: Tree) -> None:
        super().__init__(incoming)
        self.layout = factor.layout
        self.odds = ArcOdds.of(incoming, self.layout)
        self.scores = self.layout.scatter(self.odds.log_odds)
        self.sums = TreeSums(self.scores, factor.roots)

    @cached_property
    def log_partition(self) -> Floats:
        """(F,)."""
        return np.asarray(self.sums.log_partition + self.odds.constant)

    @cached_property
    def messages(self) -> Floats:
        """(F, 2 A): for each arc OFF 0 and ON the log-odds; OFF -inf and ON 0 where every tree has the arc."""
        return _messages(self.layout, self.sums.log_escape, self._rest, self.log_partition == -np.inf)

    @cached_property
    def _terms(self) -> Floats:
        """(F, n + 1, n + 1): log w(h → m) e(h, m)."""
        return _product(self.scores, self.sums.log_escape)

    @cached_property
    def _others(self) -> LeaveOneOutLogSum:
        return LeaveOneOutLogSum(_by_word(self._terms))

    @cached_property
    def _rest(self) -> Floats:
        """(F, n + 1, n + 1): log Σ_{h' ≠ h} w(h' → m) e(h', m)."""
        return _from_words(self._others.log_sums, self.scores.shape)

    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, None]:
        """Return the adjoints of the incoming messages."""
        on = np.zeros(self.odds.log_odds.shape)
        off = np.zeros(on.shape)
        if messages is not None:
            given = np.where(
                np.isfinite(self.messages[:, 1::2]) & (self.messages[:, 0::2] == 0.0), messages[:, 1::2], 0.0
            )
            to_escape = self.layout.scatter(given, fill=0.0)
            to_terms = _from_words(self._others.backward(-_by_word(to_escape)), self.scores.shape)
            to_scores = to_terms + self.sums.backward(to_escape + to_terms)
            on += np.where(self.layout.loops, 0.0, self.layout.gather(to_scores))
            off -= on
        if log_partition is not None:
            with_arc, without = self._marginals
            on += np.asarray(log_partition)[:, None] * with_arc
            off += np.asarray(log_partition)[:, None] * without
        result = np.stack([off, on], axis=2).reshape(self.incoming.shape)
        result[(self.incoming == -np.inf) | (self.log_partition == -np.inf)[:, None]] = 0.0
        return result, None

    @cached_property
    def _marginals(self) -> tuple[Floats, Floats]:
        """(F, A) twice: the probability that an arc is ON, and that it is OFF."""
        terms, rest = self.layout.gather(self._terms), self.layout.gather(self._rest)
        never = self.layout.loops | (rest == np.inf)  # another head is certain
        always = (terms == np.inf) & ~never
        terms, rest = np.where(never, -np.inf, terms), np.where(never, 0.0, rest)
        terms, rest = np.where(always, 0.0, terms), np.where(always, -np.inf, rest)
        total = np.logaddexp(terms, rest)
        total[total == -np.inf] = 0.0  # no tree at all
        return np.exp(terms - total), np.exp(rest - total)


def _product(scores: Floats, escape: Floats) -> Floats:
    """Return log w e; nothing where e is nothing, even if the arc's odds are infinite."""
    return np.where(escape == -np.inf, -np.inf, scores + np.where(escape == -np.inf, 0.0, escape))


def _by_word(matrix: Floats) -> Floats:
    """Return (F · n, n + 1): a row for each word, over its heads."""
    return np.ascontiguousarray(matrix[:, :, 1:].transpose(0, 2, 1)).reshape(-1, matrix.shape[1])


def _from_words(rows: Floats, shape: tuple[int, ...]) -> Floats:
    """Undo `_by_word`."""
    matrix = np.zeros(shape)
    matrix[:, :, 1:] = rows.reshape(shape[0], shape[1] - 1, shape[1]).transpose(0, 2, 1)
    return matrix


def _messages(layout: ArcLayout, escape: Floats, rest: Floats, impossible: NDArray[np.bool_]) -> Floats:
    """Return (F, 2 A) from the logs of what speaks for each arc and against it; all -inf where there is no tree."""
    for_arc = np.where(layout.loops | impossible[:, None], -np.inf, layout.gather(escape))
    against = np.where(impossible[:, None], -np.inf, layout.gather(rest))
    on = np.where(for_arc == -np.inf, -np.inf, for_arc - np.where(against == -np.inf, 0.0, against))
    on[(against == -np.inf) & (for_arc > -np.inf)] = 0.0
    off = np.where(against == -np.inf, -np.inf, 0.0)
    return np.stack([off, on], axis=2).reshape(len(on), -1)

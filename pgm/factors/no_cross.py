"""NOCROSS: the arcs to two words do not cross, or pay for it.

Legend: modifiers j and l, with arcs i → j and k → l; x the log-odds of arcs; w the log-potential of crossing.
"""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats, Integers
from autodiff.conversion import as_integers
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.factors._leave_one_out import leave_one_out_max
from pgm.factors._log_odds import log_odds, log_odds_messages
from pgm.factors._no_cross_run import Inward, NoCrossRun, difference
from pgm.factors.arc_pairs import arc_words
from pgm.log_potentials import check_log_potentials

__all__ = ["NoCross"]


MOST_WORDS = 10_000
"""The last word that an arc may touch: memory is linear in it for each factor."""


class NoCross(Factor):
    """Two words have exactly one head each, and the arcs to them do not cross.

    A factor is over all candidate arcs to two words.  It allows the assignments in which exactly one arc to each word
    is true; log ψ is 0 if these two do not cross, and w if they do: -inf, a hard constraint, unless w is given.
    Arcs i → j and k → l cross if one of k, l is strictly between i and j and the other strictly outside.

    The belief b(i → j) ∝ e^{x_i} (e^w Σ_{crossing k} e^{x_k} + Σ_{other k} e^{x_k}) for all i takes O(n), by running
    sums from either end of the sentence and from j outwards; so all pairs of n words take O(n³).

    Parameters
    ----------
    variables : (factors, degree) arc variables, in any order
    heads, modifiers : (factors, degree): where each arc comes from and goes to; two different modifiers a factor
    log_potentials : (factors,) or one number, w: with it the constraint is soft, and can be learnt

    References
    ----------
    Smith & Eisner 2008, §3.4 and eq. 9.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> graph = FactorGraph()
    >>> arcs = graph.variables("arc", shape=(5, 4))
    >>> graph.add(NoCross.of_arcs(arcs))
    <NoCross: 6 factors over 8 variables>
    """

    row_fields = ("heads", "modifiers", "side")

    def __init__(
        self,
        variables: Any,
        heads: ArrayLike,
        modifiers: ArrayLike,
        log_potentials: ArrayLike | None = None,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(variables, name=name)
        self.heads: Integers = self._words(heads, "heads")
        goals: Integers = self._words(modifiers, "modifiers")
        self.modifiers: Integers = np.stack([goals.min(axis=1), goals.max(axis=1)], axis=1)
        self.side: Integers = (goals == self.modifiers[:, 1:]).astype(np.int64)  # which of the two modifiers
        self._check(goals)
        self.log_potentials: Floats | None = None
        if log_potentials is not None:
            self.log_potentials = check_log_potentials(self.name, log_potentials, (self.num_factors,))

    @classmethod
    def of_arcs(cls, arcs: Any, log_potentials: ArrayLike | None = None, *, name: str | None = None) -> "NoCross":
        """Return the family for all pairs j < l of n ≥ 2 words, given arc variables (n + 1, n).

        The arc h → m is at [h, m - 1].  A word is no candidate head of itself: variables [m, m - 1] are left out.
        Pairs are in the order of `np.triu_indices(n, k=1)`.
        """
        words = arc_words(arcs)
        pairs = np.stack(np.triu_indices(words, k=1), axis=1) + 1
        heads = np.arange(words)[None, None] + (np.arange(words)[None, None] >= pairs[..., None])
        modifiers = np.broadcast_to(pairs[..., None], heads.shape)
        heads, modifiers = heads.reshape(len(pairs), -1), modifiers.reshape(len(pairs), -1)
        return cls(arcs[heads, modifiers - 1], heads, modifiers, log_potentials, name=name)

    def _words(self, given: ArrayLike, what: str) -> Integers:
        words = as_integers(given, f"{self.name}: {what}", FactorGraphError)
        shape = self.variables.shape
        if words.shape not in (shape, shape[1:]):
            raise FactorGraphError(
                f"{self.name}: {what} have shape {words.shape}, but must have {shape}, or {shape[1:]} for all factors"
            )
        if words.max(initial=0) > MOST_WORDS:
            raise FactorGraphError(f"{self.name}: {what} has word {words.max()}; the last that may be is {MOST_WORDS}")
        return np.broadcast_to(words, shape)

    def _check(self, goals: Integers) -> None:
        rows = np.arange(self.num_factors)[:, None]
        wrong = ((goals != self.modifiers[:, :1]) & (goals != self.modifiers[:, 1:])).any(axis=1)
        wrong |= self.modifiers[:, 0] == self.modifiers[:, 1]
        wrong |= (self.heads == goals).any(axis=1) | (self.heads < 0).any(axis=1) | (self.modifiers < 0).any(axis=1)
        if not wrong.any():
            seen = np.zeros((self.num_factors, 2, self.places), dtype=np.int64)
            np.add.at(seen, (rows, self.side, self.heads), 1)
            wrong |= (seen > 1).any(axis=(1, 2))
        if set(self.cardinalities) != {2} or wrong.any():
            raise FactorGraphError(
                f"{self.describe(int(np.argmax(wrong)))}: needs binary arc variables to two different modifiers, each "
                f"arc once, from heads 0, 1, … and not from the modifier itself"
            )

    @property
    def places(self) -> int:
        """The number of places in the sentence that are spoken of, with the root."""
        return int(max(self.heads.max(), self.modifiers.max())) + 1

    @property
    def potentials(self) -> Floats | None:
        """(F,): log-potentials of crossing; None for a hard constraint."""
        return self.log_potentials

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return 0, w for a crossing, or -inf unless both words have one head."""
        chosen = self.states_of(assignment) == 1
        first, second = chosen & (self.side == 0), chosen & (self.side == 1)
        single = (first.sum(axis=1) == 1) & (second.sum(axis=1) == 1)
        rows = np.arange(self.num_factors)
        one = np.stack([self.heads[rows, first.argmax(axis=1)], self.modifiers[:, 0]], axis=1)
        other = np.stack([self.heads[rows, second.argmax(axis=1)], self.modifiers[:, 1]], axis=1)
        low, high = one.min(axis=1, keepdims=True), one.max(axis=1, keepdims=True)
        between = ((other > low) & (other < high)).sum(axis=1)
        outside = ((other < low) | (other > high)).sum(axis=1)
        crossing = (between == 1) & (outside == 1)
        return np.where(single, np.where(crossing, self.prepare(self.log_potentials), 0.0), -np.inf)

    def prepare(self, potentials: Floats | None) -> Floats:
        """Return w (F,)."""
        return np.full(self.num_factors, -np.inf) if potentials is None else potentials

    def run(self, incoming: Floats, prepared: Floats) -> "NoCrossRun":
        """Sum with running sums."""
        incoming = self.check_incoming(incoming)
        return NoCrossRun(incoming, prepared, self)

    def max_messages(self, incoming: Floats, prepared: Floats) -> Floats:
        """Maximise likewise."""
        incoming = self.check_incoming(incoming)
        pairs = incoming.reshape(self.num_factors, self.degree, 2)
        inward = Inward(self, log_odds(pairs), prepared, maximum=True)
        outgoing = difference(inward.given, leave_one_out_max(inward.belief))
        sent = log_odds_messages(self.gather(outgoing), pairs)
        sent[inward.contradicted] = -np.inf
        return sent.reshape(incoming.shape)

    def scatter(self, values: Floats, fill: float) -> Floats:
        """Return (2 F, P): values (F, D) of arcs by their heads, all first modifiers before all second ones."""
        result = np.full((2, self.num_factors, self.places), fill)
        result[self.side, np.arange(self.num_factors)[:, None], self.heads] = values
        return result.reshape(-1, self.places)

    def gather(self, values: Floats) -> Floats:
        """Return (F, D) of (2 F, P)."""
        parts = values.reshape(2, self.num_factors, -1)
        return parts[self.side, np.arange(self.num_factors)[:, None], self.heads]

    def merge_key(self) -> Hashable | None:
        """Factors of one degree can be stacked, hard ones and soft ones apart."""
        return "NoCross", self.degree, self.log_potentials is None

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["NoCross"]:
        """Yield all pairs of two to four words, hard and soft, and pruned arcs in any order."""
        for words in (2, 3, 4):
            arcs = np.arange((words + 1) * words).reshape(words + 1, words)
            yield cls.of_arcs(arcs)
            yield cls.of_arcs(arcs, rng.normal(size=words * (words - 1) // 2))
        order = rng.permutation(5)
        heads, modifiers = np.array([[0, 3, 6, 1, 5], [0, 3, 6, 4, 5]]), np.array([[2, 2, 2, 4, 4], [2, 2, 1, 1, 1]])
        yield cls(np.arange(10).reshape(2, 5), heads[:, order], modifiers[:, order], [-1.5, 2.0])

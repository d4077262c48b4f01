"""Trees of a context-free grammar in Chomsky normal form (Cocke, Kasami, Younger), for a padded batch of sentences."""

from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.arrays import as_floats, unbroadcast
from hypergraph import kernels
from hypergraph.batched.binary_rules import BinaryRules
from hypergraph.batched.chart import check_adjoints, check_lengths, check_potentials, direction, row_for, scale_rows
from hypergraph.errors import ImpossibleError, WeightError

__all__ = ["ContextFreeChart", "best_parses"]


@frozen(eq=False)
class _Potentials:
    """Checked potentials, the rules sorted as the kernels read them; and the shapes in which they came."""

    roots: Floats = field()
    rules: Floats = field()
    lexical: Floats = field()
    lengths: NDArray[np.int64] = field()
    shapes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] = field()


@frozen(eq=False)
class ContextFreeChart:
    """Inside-outside for a grammar: in the real domain, and in the log domain where that is unsafe.

    Examples
    --------
    The trees of one symbol X → X X are the bracketings:

    >>> grammar = BinaryRules(1, parent=[0], left=[0], right=[0])
    >>> chart = ContextFreeChart.run(grammar, [0.0], [0.0], np.zeros((2, 4, 1)), lengths=[4, 3])
    >>> np.exp(chart.log_partitions).round(9)
    array([5., 2.])
    >>> roots, rules, lexical = chart.marginals
    >>> rules.round(9)  # used 3 times by the first sentence, twice by the second
    array([5.])
    """

    grammar: BinaryRules = field(repr=False)
    log_partitions: Floats = field()
    _potentials: _Potentials = field(repr=False)
    _real: tuple[Floats, Floats, Floats] = field(repr=False)
    _log: Floats = field(repr=False)
    _unsafe: NDArray[np.int64] = field(repr=False)

    @classmethod
    def run(
        cls,
        grammar: BinaryRules,
        roots: ArrayLike,
        rules: ArrayLike,
        lexical: ArrayLike,
        lengths: ArrayLike | None = None,
    ) -> "ContextFreeChart":
        """Run the inside pass.

        Parameters
        ----------
        roots : log-weights of the symbol of the whole sentence, (batch, symbols), or (symbols,) for all sentences
        rules : log-weights of the rules, (batch, rules), or (rules,) for all sentences; what is shared by all has
            marginals that are summed over the batch
        lexical : (batch, N, symbols) log-weights of the symbol above each word, padded beyond each sentence
        lengths : (batch,) numbers of words; by default N

        Raises
        ------
        ImpossibleError
            If a sentence has no tree of weight above zero; the message says which.
        """
        given = _check(grammar, roots, rules, lexical, lengths)
        batch, longest, symbols = given.lexical.shape
        real = (
            np.zeros_like(given.roots),
            np.zeros_like(given.rules),
            np.zeros((batch, kernels.cky_real.NUM_CHARTS, symbols, longest * (longest + 1) // 2)),
        )
        log_partitions = np.empty(batch)
        kernels.cky_real.inside(
            given.roots, given.rules, given.lexical, given.lengths, *_arrays(grammar), *real, log_partitions
        )
        unsafe = np.flatnonzero(np.isnan(log_partitions))
        log = np.empty((len(unsafe), symbols, longest + 1, longest))
        if len(unsafe):
            redone = np.empty(len(unsafe))
            of_unsafe = row_for(given.roots, unsafe), row_for(given.rules, unsafe), given.lexical[unsafe]
            kernels.cky_log.inside(*of_unsafe, given.lengths[unsafe], *_arrays(grammar), log, redone)
            log_partitions[unsafe] = redone
            _refuse_impossible(log_partitions)
        return cls(grammar, log_partitions, given, real, log, unsafe)

    @cached_property
    def _by_sentence(self) -> tuple[tuple[Floats, Floats, Floats], Floats]:
        """The marginals with an axis for the batch, the rules sorted; and the posteriors of `cky_log`."""
        given, unsafe = self._potentials, self._unsafe
        result = self._zeros()
        kernels.cky_real.outside(self._safe_lengths, *_arrays(self.grammar), *self._real, *result)
        posteriors = np.zeros_like(self._log)
        if len(unsafe):
            redone = tuple(np.zeros_like(array[unsafe]) for array in result)
            kernels.cky_log.outside(
                row_for(given.roots, unsafe), row_for(given.rules, unsafe), given.lengths[unsafe],
                *_arrays(self.grammar), self._log, self.log_partitions[unsafe], posteriors, *redone,
            )  # fmt: skip
            for array, rows in zip(result, redone, strict=True):
                array[unsafe] = rows
        return result, posteriors

    @cached_property
    def marginals(self) -> tuple[Floats, Floats, Floats]:
        """The expected uses of root symbols, rules and lexical entries, in the shapes in which they were given."""
        return self._as_given(*self._by_sentence[0])

    def log_partitions_backward(self, adjoint: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the adjoints of roots, rules and lexical, given that of the log-partitions."""
        roots, rules, lexical = (scale_rows(adjoint, array) for array in self._by_sentence[0])
        return self._as_given(roots, rules, lexical)

    def backward(self, *adjoints: Floats | None) -> tuple[Floats, Floats, Floats]:
        """Return the adjoints of roots, rules and lexical, given those of the marginals."""
        given, unsafe = self._potentials, self._unsafe
        check_adjoints(adjoints, 3)
        of_roots, of_rules, of_lexical = adjoints
        by_root = direction(of_roots, given.shapes[0], given.roots.shape)
        by_lexical = direction(of_lexical, given.shapes[2], given.lexical.shape)
        by_rule = np.take(direction(of_rules, given.shapes[1], given.rules.shape), self.grammar.order, axis=1)
        marginals, posteriors = self._by_sentence
        result = self._zeros()
        kernels.cky_real.backward(
            self._safe_lengths, *_arrays(self.grammar), *self._real, *marginals, by_root, by_rule, by_lexical, *result
        )
        if len(unsafe):
            redone = tuple(np.zeros_like(array[unsafe]) for array in result)
            kernels.cky_log.backward(
                row_for(given.rules, unsafe), given.lengths[unsafe], *_arrays(self.grammar),
                self._log, posteriors, marginals[0][unsafe],
                row_for(by_root, unsafe), row_for(by_rule, unsafe), by_lexical[unsafe], *redone,
            )  # fmt: skip
            for array, rows in zip(result, redone, strict=True):
                array[unsafe] = rows
        return self._as_given(*result)

    def _zeros(self) -> tuple[Floats, Floats, Floats]:
        batch, longest, symbols = self._potentials.lexical.shape
        return np.zeros((batch, symbols)), np.zeros((batch, len(self.grammar))), np.zeros((batch, longest, symbols))

    def _as_given(self, roots: Floats, rules: Floats, lexical: Floats) -> tuple[Floats, Floats, Floats]:
        """Undo the sorting of the rules, and sum over the batch what all sentences share."""
        of_roots, of_rules, _ = self._potentials.shapes
        return unbroadcast(roots, of_roots), unbroadcast(rules, of_rules)[..., self.grammar.rank], lexical

    @property
    def _safe_lengths(self) -> NDArray[np.int64]:
        lengths = self._potentials.lengths.copy()
        lengths[self._unsafe] = 0  # passed over
        return lengths


def best_parses(
    grammar: BinaryRules,
    roots: ArrayLike,
    rules: ArrayLike,
    lexical: ArrayLike,
    lengths: ArrayLike | None = None,
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the score of the best tree of each sentence (batch,), and the nodes of that tree (batch, 2 N - 1, 3).

    Each node is (symbol, start, end), a span of the words start … end - 1, in preorder; the padding is -1.  Parameters
    are those of `ContextFreeChart.run`.  Of trees that tie, the one with the first symbol, and at each node the first
    rule and the shortest left part.

    Examples
    --------
    >>> grammar = BinaryRules(2, parent=[0, 0], left=[0, 1], right=[1, 1])
    >>> score, nodes = best_parses(grammar, [0.0, -1.0], [-0.5, -0.25], np.zeros((1, 3, 2)))
    >>> float(score[0]), nodes[0].tolist()
    (-0.75, [[0, 0, 3], [0, 0, 2], [1, 0, 1], [1, 1, 2], [1, 2, 3]])
    """
    given = _check(grammar, roots, rules, lexical, lengths)
    best = np.empty(len(given.lexical))
    nodes = np.full((len(best), 2 * given.lexical.shape[1] - 1, 3), -1)
    kernels.cky_max.best(
        given.roots, given.rules, given.lexical, given.lengths, *_arrays(grammar), grammar.order, best, nodes
    )
    _refuse_impossible(best)
    return best, nodes


def _arrays(grammar: BinaryRules) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    return grammar.pairs, grammar.first_rule, grammar.parents


def _check(
    grammar: BinaryRules, roots: ArrayLike, rules: ArrayLike, lexical: ArrayLike, lengths: ArrayLike | None
) -> _Potentials:
    lexical = check_potentials("lexical", lexical, ndim=3)
    batch, longest, symbols = lexical.shape
    if symbols != grammar.symbols:
        raise WeightError(f"lexical is for {symbols} symbols, but the grammar has {grammar.symbols}")
    if not symbols:
        raise WeightError("the grammar has no symbols, so there are no trees")
    rows, shapes = [], []
    for name, given, size in (("roots", roots, symbols), ("rules", rules, len(grammar))):
        values = as_floats(given, name, WeightError)
        shape = values.shape
        shapes.append(shape)
        if shape not in ((size,), (1, size), (batch, size)):
            raise WeightError(f"{name} have shape {(size,)} or {(batch, size)}, not {shape}")
        rows.append(check_potentials(name, np.reshape(values, (-1, size) if size else (1, 0)), ndim=2))
    by_pair = np.take(rows[1], grammar.order, axis=1)
    return _Potentials(
        rows[0], by_pair, lexical, check_lengths(lengths, batch, longest), (shapes[0], shapes[1], lexical.shape)
    )


def _refuse_impossible(totals: Floats) -> None:
    impossible = np.flatnonzero(totals == -np.inf)
    if len(impossible):
        raise ImpossibleError(
            f"sentence {impossible[0]} of the batch has no tree without a weight of -inf "
            f"({len(impossible)} such sentences in all); leave at least one tree with finite weights"
        )

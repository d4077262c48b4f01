"""Linear chains of order 1 (hidden Markov models, conditional random fields), for a padded batch of sequences."""

from functools import cached_property

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.arrays import as_floats, unbroadcast
from hypergraph import kernels
from hypergraph.batched.chart import check_adjoints, check_lengths, check_potentials, direction, row_for, scale_rows
from hypergraph.errors import ImpossibleError, WeightError

__all__ = ["ChainChart", "best_chains"]


@frozen(eq=False)
class ChainChart:
    """Forward-backward for linear chains: in the real domain, and in the log domain where that is unsafe.

    Examples
    --------
    One matrix of transitions for all steps of all sequences, as in a hidden Markov model:

    >>> chart = ChainChart.run(np.zeros((2, 4, 3)), np.zeros((3, 3)), lengths=[4, 2])
    >>> np.exp(chart.log_partitions).round(9)
    array([81.,  9.])
    >>> states, transitions = chart.marginals
    >>> states[1].sum(axis=1).round(9)
    array([1., 1., 0., 0.])
    >>> transitions.shape, float(transitions.sum().round(9))  # 3 steps and 1 step
    ((3, 3), 4.0)
    """

    unary: Floats = field(repr=False)
    transitions: Floats = field(repr=False)
    lengths: NDArray[np.int64] = field()
    log_partitions: Floats = field()
    _shape: tuple[int, ...] = field(repr=False)
    _real: tuple[Floats, ...] = field(repr=False)
    _log: tuple[Floats, ...] = field(repr=False)
    _unsafe: NDArray[np.int64] = field(repr=False)

    @classmethod
    def run(cls, unary: ArrayLike, transitions: ArrayLike, lengths: ArrayLike | None = None) -> "ChainChart":
        """Run the forward pass.

        Parameters
        ----------
        unary : (batch, T, K) log-weights of the states, padded beyond each sequence
        transitions : log-weights at [..., from, to] that broadcast to (batch, T - 1, K, K): one array for each step of
            each sequence, or (1, K, K) or (K, K) for all of them.  Their marginals are summed over what is broadcast.
        lengths : (batch,) by default T

        Raises
        ------
        ImpossibleError
            If a sequence has no assignment of weight above zero; the message says which.
        """
        unary, pairs, lengths, shape = _check(unary, transitions, lengths)
        weights = np.empty_like(pairs)
        emissions, alpha, scales = np.empty_like(unary), np.empty_like(unary), np.empty(unary.shape[:2])
        log_partitions = np.empty(len(unary))
        kernels.chain_real.inside(unary, pairs, lengths, weights, emissions, alpha, scales, log_partitions)
        unsafe = np.flatnonzero(np.isnan(log_partitions))
        log: tuple[Floats, ...] = ()
        if len(unsafe):
            log = np.empty_like(unary[unsafe]), np.empty_like(unary[unsafe])
            redone = np.empty(len(unsafe))
            kernels.chain_log.inside(unary[unsafe], row_for(pairs, unsafe), lengths[unsafe], *log, redone)
            log_partitions[unsafe] = redone
            _refuse_impossible(log_partitions)
        return cls(unary, pairs, lengths, log_partitions, shape, (weights, emissions, alpha, scales), log, unsafe)

    @cached_property
    def _by_sequence(self) -> tuple[Floats, Floats, Floats]:
        """The marginals of states (batch, T, K) and transitions (batch, steps or 1, K, K), and the kernel's beta."""
        states = np.zeros_like(self.unary)
        pairs = np.zeros((len(states), *self.transitions.shape[1:]))
        beta = np.empty_like(self.unary)
        kernels.chain_real.outside(self._safe_lengths, *self._real, beta, states, pairs)
        unsafe = self._unsafe
        if len(unsafe):
            redone = np.zeros_like(states[unsafe]), np.zeros_like(pairs[unsafe])
            kernels.chain_log.outside(row_for(self.transitions, unsafe), self.lengths[unsafe], *self._log, *redone)
            states[unsafe], pairs[unsafe] = redone
        return states, pairs, beta

    @cached_property
    def marginals(self) -> tuple[Floats, Floats]:
        """The probabilities of states, (batch, T, K), and of transitions, in the shape in which they were given."""
        states, pairs, _ = self._by_sequence
        return states, unbroadcast(pairs, self._shape)

    def log_partitions_backward(self, adjoint: Floats) -> tuple[Floats, Floats]:
        """Return the adjoints of unary and transitions, given that of the log-partitions."""
        states, pairs, _ = self._by_sequence
        return scale_rows(adjoint, states), unbroadcast(scale_rows(adjoint, pairs), self._shape)

    def backward(self, *adjoints: Floats | None) -> tuple[Floats, Floats]:
        """Return the adjoints of unary and transitions, given those of the marginals."""
        check_adjoints(adjoints, 2)
        of_states, of_transitions = adjoints
        states, pairs, beta = self._by_sequence
        by_state = direction(of_states, self.unary.shape, self.unary.shape)
        by_pair = direction(of_transitions, self._shape, self.transitions.shape)
        unary, transitions = np.zeros_like(states), np.zeros_like(pairs)
        kernels.chain_real.backward(
            self._safe_lengths, *self._real, beta, states, pairs, by_state, by_pair, unary, transitions
        )
        unsafe = self._unsafe
        if len(unsafe):
            redone = np.zeros_like(unary[unsafe]), np.zeros_like(transitions[unsafe])
            kernels.chain_log.backward(
                row_for(self.transitions, unsafe), self.lengths[unsafe], *self._log,
                states[unsafe], by_state[unsafe], row_for(by_pair, unsafe), *redone,
            )  # fmt: skip
            unary[unsafe], transitions[unsafe] = redone
        return unary, unbroadcast(transitions, self._shape)

    @property
    def _safe_lengths(self) -> NDArray[np.int64]:
        lengths = self.lengths.copy()
        lengths[self._unsafe] = 0  # passed over
        return lengths


def best_chains(
    unary: ArrayLike, transitions: ArrayLike, lengths: ArrayLike | None = None
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the score of the best sequence of each row (batch,), and its states (batch, T), -1 in the padding.

    Parameters are those of `ChainChart.run`; of sequences that tie, the one whose last states come first.

    Examples
    --------
    >>> unary = [[[2, 0], [0, 0], [0, 1]], [[0, 1], [0, 0], [9, 9]]]
    >>> best_chains(unary, [[1, 0], [0, 1]], lengths=[3, 2])
    (array([4., 2.]), array([[ 0,  0,  0],
                             [ 1,  1, -1]]))
    """
    unary, pairs, lengths, _ = _check(unary, transitions, lengths)
    states = np.full(unary.shape[:2], -1)
    best = np.empty(len(unary))
    kernels.chain_max.best(unary, pairs, lengths, best, states)
    _refuse_impossible(best)
    return best, states


def _check(
    unary: ArrayLike, transitions: ArrayLike, lengths: ArrayLike | None
) -> tuple[Floats, Floats, NDArray[np.int64], tuple[int, ...]]:
    """Return unary, transitions with four axes, lengths, and the shape in which the transitions came."""
    unary = check_potentials("unary", unary, ndim=3)
    batch, length, states = unary.shape
    if not states:
        raise WeightError(f"unary weights of shape {unary.shape} are for 0 states; there must be one at least")
    given = as_floats(transitions, "transitions", WeightError)
    shape = given.shape
    leading = (1, 1, *shape[:-2])[-2:]
    fits = leading[0] in (1, batch) and leading[1] in (1, length - 1)
    if not (2 <= len(shape) <= 4 and shape[-2:] == (states, states) and fits):
        raise WeightError(
            f"transitions must broadcast to {(batch, length - 1, states, states)}, (batch, T - 1, K, K) for unary "
            f"weights of shape {unary.shape}, but their shape is {shape}"
        )
    pairs = check_potentials("transitions", np.reshape(given, (*leading, states, states)), ndim=4)
    return unary, pairs, check_lengths(lengths, batch, length), shape


def _refuse_impossible(totals: Floats) -> None:
    impossible = np.flatnonzero(totals == -np.inf)
    if len(impossible):
        raise ImpossibleError(
            f"sequence {impossible[0]} of the batch has no assignment of states without a weight of -inf "
            f"({len(impossible)} such sequences in all); leave at least one with finite weights"
        )

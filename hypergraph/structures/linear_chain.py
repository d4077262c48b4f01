"""Linear chains of order 1: hidden Markov models, linear-chain conditional random fields.

Sums over the sequences of states y₀ … y_{T-1}; a sequence weighs Π_t u(t, y_t) · Π_t w(t, y_t, y_{t+1}).

Legend: T `length`, K `states`, t position.  Nodes of the hypergraph:
- ("state", t, k): all that comes before position t, and state k there;
- ("into", t, k): the same before the unary weight of k is multiplied in (an edge has one weight).
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats, as_integers
from hypergraph.batched.chains import ChainChart, best_chains
from hypergraph.batched.chart import ChartOfOne
from hypergraph.builder import HypergraphBuilder
from hypergraph.errors import ImpossibleError, WeightError
from hypergraph.graph import Hypergraph
from hypergraph.structure import Structure, as_size

if TYPE_CHECKING:
    from hypergraph.derivation import Derivation

__all__ = ["ChainParts", "LinearChain"]


class ChainParts(NamedTuple):
    """The parts of a vector of weights or marginals of a `LinearChain`."""

    unary: NDArray[np.float64]
    """(T, K)"""
    transitions: NDArray[np.float64]
    """(T - 1, K, K), or (1, K, K) where they are shared, at [t, from, to]; empty if T = 1."""


@frozen
class LinearChain(Structure):
    """Sequences of `length` states out of `states`.  Weights: a vector, [unary (T, K), transitions (T - 1, K, K)].

    Parameters
    ----------
    length : number of positions, T
    states : number of states, K
    shared_transitions : one (1, K, K) array of transitions stands for all positions; its marginals are summed over them

    Examples
    --------
    >>> from hypergraph import marginals, viterbi
    >>> chain = LinearChain(length=3, states=2)
    >>> stay = np.log([[0.9, 0.1], [0.1, 0.9]])
    >>> weights = chain.weights(np.log([[0.8, 0.2], [0.5, 0.5], [0.7, 0.3]]), stay)
    >>> chain.decode(viterbi(chain, weights))
    array([0, 0, 0])
    >>> chain.parts(marginals(chain, weights)).unary[1].round(3)
    array([0.847, 0.153])
    """

    length: int = field(converter=as_size, validator=ge(1))
    states: int = field(converter=as_size, validator=ge(1))
    shared_transitions: bool = field(default=False)

    @classmethod
    def examples(cls) -> "list[LinearChain]":
        """Return short chains of up to 3 states, with transitions for each position and shared ones."""
        sizes = ((1, 3), (2, 2), (3, 2), (3, 3), (4, 2), (3, 1))
        return [cls(length, states, shared) for length, states in sizes for shared in (False, True)]

    @property
    def transition_shape(self) -> tuple[int, int, int]:
        """The shape of the transitions."""
        steps = min(self.length - 1, 1) if self.shared_transitions else self.length - 1
        return steps, self.states, self.states

    @property
    def num_weights(self) -> int:
        """The length of the vector of weights."""
        return self.length * self.states + int(np.prod(self.transition_shape))

    @property
    def shared(self) -> NDArray[np.bool_]:
        """(weights,): the transitions, if one array of them stands for all positions."""
        return np.arange(self.num_weights) >= (self.length * self.states if self.shared_transitions else np.inf)

    def weights(
        self,
        unary: ArrayLike,
        transitions: ArrayLike | None = None,
        initial: ArrayLike | None = None,
        final: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Return the vector of log-weights.

        Parameters
        ----------
        unary : (T, K)
        transitions : (T - 1, K, K), or (1, K, K) where they are shared, or (K, K) for the same everywhere; at
            [t, from, to], by default 0
        initial, final : (K,), added to the first and last row of `unary`
        """
        unaries = np.array(as_floats(unary, "unary", WeightError))
        self._check("unary weights", unaries, (self.length, self.states))
        for name, row, values in (("initial", 0, initial), ("final", -1, final)):
            if values is not None:
                addend = as_floats(values, name, WeightError)
                self._check(f"{name} weights", addend, (self.states,))
                unaries[row] += addend
        pairs = as_floats(0.0 if transitions is None else transitions, "transitions", WeightError)
        if pairs.ndim == 3:
            self._check("transitions", pairs, self.transition_shape)
        elif transitions is not None:
            self._check("transitions", pairs, (self.states, self.states))
        pairs = np.broadcast_to(pairs, self.transition_shape)
        return self.check_weights(np.concatenate([unaries.ravel(), pairs.ravel()]))

    def parts(self, vector: ArrayLike) -> ChainParts:
        """Return the parts of a vector of weights or marginals, as views of it."""
        flat = as_floats(vector, "vector", WeightError)
        self._check("the vector", flat, (self.num_weights,))
        unary, transitions = np.split(flat, [self.length * self.states])
        return ChainParts(unary.reshape(self.length, self.states), transitions.reshape(self.transition_shape))

    def weight_name(self, index: int) -> str:
        """Return "state k at t" or "transition j → k after t"."""
        if index < self.length * self.states:
            return "state {1} at {0}".format(*divmod(index, self.states))
        step, before, after = np.unravel_index(index - self.length * self.states, self.transition_shape)
        return f"transition {before} → {after}" + ("" if self.shared_transitions else f" after {step}")

    @property
    def graph(self) -> Hypergraph:
        """The trellis, of O(T K) nodes and O(T K²) edges; built once for each size."""
        return _build(self)

    def decode(self, derivation: "Derivation") -> NDArray[np.int64]:
        """Return (T,): the state at each position."""
        states = np.empty(self.length, dtype=np.int64)
        used = derivation.weights
        positions, values = np.divmod(used[used < self.length * self.states], self.states)
        states[positions] = values
        return states

    def weights_of(self, decoded: ArrayLike) -> NDArray[np.int64]:
        """Return the indices of the weights that a sequence of states uses: unary ones, then transitions.

        >>> LinearChain(length=3, states=2, shared_transitions=True).weights_of([0, 1, 1])
        array([0, 3, 5, 7, 9])
        """
        states = as_states(decoded, self.length, self.states, self)
        unary = np.arange(self.length) * self.states + states
        steps = np.arange(self.length - 1) * (0 if self.shared_transitions else self.states**2)
        return np.concatenate([unary, self.length * self.states + steps + states[:-1] * self.states + states[1:]])

    def run(self, weights: NDArray[np.float64]) -> ChartOfOne:
        """Run forward-backward, which needs no hypergraph."""
        try:
            chart = ChainChart.run(*self._batch_of_one(weights.reshape(-1)))
        except ImpossibleError:
            raise self.impossible() from None
        return ChartOfOne(chart, lambda arrays: np.concatenate([a.reshape(-1) for a in arrays]), self._batch_of_one)

    def best(self, weights: ArrayLike) -> tuple[float, NDArray[np.int64]]:
        """Return the score of the best sequence, and its states as `decode` gives them."""
        try:
            best, states = best_chains(*self._batch_of_one(self.check_weights(weights).reshape(-1)))
        except ImpossibleError:
            raise self.impossible() from None
        return float(best[0]), states[0]

    def _batch_of_one(self, vector: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        unary, transitions = self.parts(vector)
        return unary[np.newaxis], transitions[np.newaxis]

    def _check(self, name: str, array: NDArray[np.float64], shape: tuple[int, ...]) -> None:
        if array.shape != shape:
            raise WeightError(f"{name} of {self!r} have shape {shape}, not {array.shape}")


def as_states(given: ArrayLike, length: int, states: int, chain: Structure) -> NDArray[np.int64]:
    """Return a sequence of states, if it is one of a chain's.

    >>> as_states([0, 1], 2, 2, LinearChain(2, 2))
    array([0, 1])
    """
    array = as_integers(given, "states", WeightError)
    if array.shape != (length,) or (array < 0).any() or (array >= states).any():
        raise WeightError(f"{chain.brief}: a sequence is {length} states from 0 to {states - 1}, not {given!r}")
    return array


@lru_cache(maxsize=64)
def _build(chain: LinearChain) -> Hypergraph:
    length, states = chain.length, range(chain.states)
    builder = HypergraphBuilder(num_weights=chain.num_weights)
    for k in states:
        builder.edge(("state", 0, k), weight=k)
    index = np.arange(length * chain.states, chain.num_weights).reshape(chain.transition_shape).tolist()
    for t in range(1, length):
        step = index[0] if chain.shared_transitions else index[t - 1]
        for k in states:
            for before in states:
                builder.edge(("into", t, k), [("state", t - 1, before)], weight=step[before][k])
            builder.edge(("state", t, k), [("into", t, k)], weight=t * chain.states + k)
    for k in states:
        builder.edge("end", [("state", length - 1, k)])
    return builder.build(root="end")

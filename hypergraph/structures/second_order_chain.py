"""Linear chains of order 2: trigram taggers.

Sums over the sequences of states y₀ … y_{T-1}; a sequence weighs
Π_t u(t, y_t) · v(y₀, y₁) · Π_t w(t, y_t, y_{t+1}, y_{t+2}).  Weights of pairs later than the first belong in w.

Legend: T `length`, K `states`, t position.  Nodes of the hypergraph:
- ("state", 0, k): state k at the first position;
- ("pair", t, j, k): all that comes before position t, state j before it and state k there;
- ("into", t, j, k): the same before the unary weight of k is multiplied in (an edge has one weight).
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.typing import ArrayLike, NDArray

from autodiff.conversion import as_floats
from hypergraph.builder import HypergraphBuilder
from hypergraph.errors import WeightError
from hypergraph.graph import Hypergraph
from hypergraph.structure import Structure, as_size
from hypergraph.structures.linear_chain import as_states

if TYPE_CHECKING:
    from hypergraph.derivation import Derivation

__all__ = ["SecondOrderChain", "SecondOrderChainParts"]


class SecondOrderChainParts(NamedTuple):
    """The parts of a vector of weights or marginals of a `SecondOrderChain`."""

    unary: NDArray[np.float64]
    """(T, K)"""
    first_pair: NDArray[np.float64]
    """(1, K, K), at [0, first, second]; empty if T = 1."""
    transitions: NDArray[np.float64]
    """(T - 2, K, K, K), at [t, first, second, third]; empty if T ≤ 2."""


@frozen
class SecondOrderChain(Structure):
    """Sequences of `length` states out of `states`, scored by triples.

    Weights: a vector, [unary (T, K), first_pair (1, K, K), transitions (T - 2, K, K, K)].

    Examples
    --------
    >>> from hypergraph import viterbi
    >>> chain = SecondOrderChain(length=4, states=2)
    >>> transitions = np.zeros((2, 2, 2))
    >>> transitions[0, 1, 1] = transitions[1, 1, 0] = 1.0  # 0 1 1 0 is what it likes
    >>> chain.decode(viterbi(chain, chain.weights(np.zeros((4, 2)), transitions)))
    array([0, 1, 1, 0])
    """

    length: int = field(converter=as_size, validator=ge(1))
    states: int = field(converter=as_size, validator=ge(1))

    @classmethod
    def examples(cls) -> "list[SecondOrderChain]":
        """Return short chains of up to 3 states."""
        return [cls(length, states) for length, states in ((1, 3), (2, 2), (3, 2), (3, 3), (4, 2), (5, 2), (3, 1))]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the three parts."""
        length, states = self.length, self.states
        return (length, states), (min(length - 1, 1),) + (states,) * 2, (max(length - 2, 0),) + (states,) * 3

    @property
    def num_weights(self) -> int:
        """The length of the vector of weights."""
        return sum(int(np.prod(shape)) for shape in self.shapes)

    def weights(
        self, unary: ArrayLike, transitions: ArrayLike | None = None, first_pair: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the vector of log-weights.

        Parameters
        ----------
        unary : (T, K)
        transitions : (T - 2, K, K, K), or (K, K, K) for the same everywhere; at [t, first, second, third], by default 0
        first_pair : (K, K) or (1, K, K), by default 0
        """
        flat = []
        names = ("unary weights", "weights of the first pair", "transitions")
        for name, values, shape in zip(names, (unary, first_pair, transitions), self.shapes, strict=True):
            array = as_floats(0.0 if values is None else values, name, WeightError)
            if values is not None and array.shape not in (shape, shape[1:] if array.ndim > 1 else shape):
                raise WeightError(f"{name} of {self!r} have shape {shape}, not {array.shape}")
            flat.append(np.broadcast_to(array, shape).ravel())
        return self.check_weights(np.concatenate(flat))

    def parts(self, vector: ArrayLike) -> SecondOrderChainParts:
        """Return the parts of a vector of weights or marginals, as views of it."""
        flat = as_floats(vector, "vector", WeightError)
        if flat.shape != (self.num_weights,):
            raise WeightError(f"the vector of {self!r} has shape {(self.num_weights,)}, not {flat.shape}")
        ends = np.cumsum([np.prod(shape) for shape in self.shapes]).astype(int)
        pieces = np.split(flat, ends[:-1])
        return SecondOrderChainParts(*(piece.reshape(shape) for piece, shape in zip(pieces, self.shapes, strict=True)))

    def weight_name(self, index: int) -> str:
        """Return "state k at t", "first pair j k" or "states i j k from t"."""
        kinds = ("state {1} at {0}", "first pair {1} {2}", "states {1} {2} {3} from {0}")
        for kind, shape in zip(kinds, self.shapes, strict=True):
            size = int(np.prod(shape))
            if index < size:
                return kind.format(*np.unravel_index(index, shape))
            index -= size
        raise IndexError(f"{self!r} has {self.num_weights} weights")

    @property
    def graph(self) -> Hypergraph:
        """The trellis of pairs, of O(T K²) nodes and O(T K³) edges; built once for each size."""
        return _build(self)

    def decode(self, derivation: "Derivation") -> NDArray[np.int64]:
        """Return (T,): the state at each position."""
        states = np.empty(self.length, dtype=np.int64)
        used = derivation.weights
        positions, values = np.divmod(used[used < self.length * self.states], self.states)
        states[positions] = values
        return states

    def weights_of(self, decoded: ArrayLike) -> NDArray[np.int64]:
        """Return the indices of the weights that a sequence of states uses: unary, first pair, transitions.

        >>> SecondOrderChain(length=3, states=2).weights_of([0, 1, 1])
        array([ 0,  3,  5,  7, 13])
        """
        states = as_states(decoded, self.length, self.states, self)
        first, found = 0, []
        for order, shape in enumerate(self.shapes):
            together = [np.arange(shape[0]), *(states[k : k + shape[0]] for k in range(order + 1))]
            found.append(first + np.ravel_multi_index(together, shape))
            first += int(np.prod(shape))
        return np.concatenate(found)


@lru_cache(maxsize=64)
def _build(chain: SecondOrderChain) -> Hypergraph:
    length, states = chain.length, range(chain.states)
    builder = HypergraphBuilder(num_weights=chain.num_weights)
    index = chain.parts(np.arange(chain.num_weights))
    unary, pair, triple = (part.astype(int).tolist() for part in index)
    for k in states:
        builder.edge(("state", 0, k), weight=unary[0][k])
        if length == 1:
            builder.edge("end", [("state", 0, k)])
    for t in range(1, length):
        for j in states:
            for k in states:
                if t == 1:
                    builder.edge(("into", t, j, k), [("state", 0, j)], weight=pair[0][j][k])
                else:
                    for i in states:
                        builder.edge(("into", t, j, k), [("pair", t - 1, i, j)], weight=triple[t - 2][i][j][k])
                builder.edge(("pair", t, j, k), [("into", t, j, k)], weight=unary[t][k])
                if t == length - 1:
                    builder.edge("end", [("pair", t, j, k)])
    return builder.build(root="end")

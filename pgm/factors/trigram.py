"""TRIGRAM: a chain of second order over variables, as one factor."""

from collections.abc import Iterable

import numpy as np

from autodiff.array_types import Integers
from hypergraph import structures
from hypergraph.structure import Structure
from pgm.factors._chain import Chain

__all__ = ["Trigram"]


class Trigram(Chain):
    """log ψ(y) = Σ_t w(t, y_t, y_{t+1}, y_{t+2}): the tag sequence under a trigram model.

    Messages take O(T K³), forward-backward over a trellis of pairs.

    Parameters
    ----------
    variables : the T variables in their order, all with K states; (factors, T) for a family
    transitions : (T - 2, K, K, K) at [t, first, second, third], or (K, K, K) for the same everywhere
    shared : the potentials are one (K, K, K) table for all positions, so that gradients and beliefs are summed over
        them

    References
    ----------
    Smith & Eisner (2008), §3.3 (TRIGRAM) and §5.2.

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> tags = FactorGraph().variables("tag", 5, ["noun", "verb"])
    >>> trigram = Trigram(tags, np.zeros((2, 2, 2)), shared=True)
    >>> np.exp(trigram.run(np.zeros((1, 10)), trigram.prepare(trigram.potentials)).log_partition).round(6)
    array([32.])
    """

    order = 2

    @classmethod
    def trellis(cls, length: int, states: int) -> tuple[Structure, Integers, Integers]:
        """Return the structure and the indices of its weights."""
        chain = structures.SecondOrderChain(length, states)
        unary, _, transitions = chain.parts(np.arange(chain.num_weights))
        return chain, unary.astype(np.int64), transitions.astype(np.int64)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["Trigram"]:
        """Yield short chains, with transitions for each position and shared ones, some impossible."""
        for length, states in ((2, 2), (3, 3), (5, 2)):
            variables = np.arange(2 * length).reshape(2, length)
            yield cls(variables, rng.normal(size=(2, length - 2, states, states, states)))
            shared = rng.normal(size=(states, states, states))
            shared[0, 0, -1] = -np.inf
            yield cls(variables, shared, shared=True)

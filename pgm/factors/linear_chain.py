"""A chain of first order over variables, as one factor."""

from collections.abc import Iterable

import numpy as np

from autodiff.array_types import Integers
from hypergraph import structures
from hypergraph.structure import Structure
from pgm.factors._chain import Chain

__all__ = ["LinearChainFactor"]


class LinearChainFactor(Chain):
    """log ψ(y) = Σ_t w(t, y_t, y_{t+1}): a hidden Markov model or conditional random field in one factor.

    Messages take O(T K²), forward-backward over a trellis.  Unary potentials come in by messages.

    Parameters
    ----------
    variables : the T variables in their order, all with K states; (factors, T) for a family
    transitions : (T - 1, K, K) at [t, from, to], or (K, K) for the same everywhere
    shared : the potentials are one (K, K) table for all positions, so that gradients and beliefs are summed over them

    References
    ----------
    Smith & Eisner (2008), §5.2; Lafferty, McCallum & Pereira (2001).

    Examples
    --------
    >>> from pgm import FactorGraph
    >>> tags = FactorGraph().variables("tag", 3, ["noun", "verb"])
    >>> chain = LinearChainFactor(tags, np.log([[1.0, 3.0], [2.0, 1.0]]), shared=True)
    >>> chain.potentials.shape, np.exp(chain.score(np.array([[0, 1, 0]]))).round(9)
    ((1, 2, 2), array([6.]))
    """

    order = 1

    @classmethod
    def trellis(cls, length: int, states: int) -> tuple[Structure, Integers, Integers]:
        """Return the structure and the indices of its weights."""
        chain = structures.LinearChain(length, states)
        unary, transitions = chain.parts(np.arange(chain.num_weights))
        return chain, unary.astype(np.int64), transitions.astype(np.int64)

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["LinearChainFactor"]:
        """Yield short chains, with transitions for each position and shared ones, some impossible."""
        for length, states in ((1, 3), (3, 2), (4, 3)):
            variables = np.arange(2 * length).reshape(2, length)
            yield cls(variables, rng.normal(size=(2, length - 1, states, states)))
            shared = rng.normal(size=(states, states))
            shared[0, -1] = -np.inf
            yield cls(variables, shared, shared=True)

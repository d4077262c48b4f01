"""What the chains of first and second order share."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff import Parameter
from autodiff.array_types import Floats, Integers
from hypergraph.structure import Structure
from pgm.errors import PotentialError
from pgm.factors.hypergraph_factor import HypergraphFactor
from pgm.potential_source import PotentialSource
from pgm.variables import as_index, owner

__all__ = ["Chain"]


class Chain(HypergraphFactor):
    """log ψ(y) = Σ_t w(t, y_t, …, y_{t+order}) over T variables with K states each."""

    order: ClassVar[int]

    def __init__(
        self,
        variables: Any,
        transitions: ArrayLike | Parameter | PotentialSource,
        *,
        shared: bool = False,
        name: str | None = None,
    ) -> None:
        self.shared = shared
        window = self.order + 1
        source = PotentialSource.of(transitions)
        given = np.asarray(transitions if source is None else source.forward()[0])
        if given.ndim < window:
            raise PotentialError(f"{type(self).__name__}: transitions have {window} axes of states, the last ones")
        index, states = as_index(variables), given.shape[-1]
        length, graph = index.shape[1], owner(variables)
        own = (states,) * length if graph is None else tuple(np.unique(graph.cardinalities[index]).tolist())
        if set(given.shape[-window:]) != {states} or set(own) - {states}:  # before anything large is built
            raise PotentialError(
                f"{name or type(self).__name__}: transitions of shape {given.shape}, whose last {window} axes are one "
                f"for each state, for variables with {', '.join(map(str, sorted(set(own))))} states"
            )
        structure, unary, windows = self.trellis(length, states)
        uses = np.full((structure.num_weights, 2), -1)
        uses[unary] = np.stack(np.divmod(np.arange(length * states), states), axis=-1).reshape(length, states, 2)
        terms = np.full(structure.num_weights, -1)
        table = (states,) * window
        shape = table if shared else (max(length - self.order, 0), *table)
        terms[windows] = np.arange(int(np.prod(shape))).reshape(shape)
        same = source is None and not shared and given.shape == table  # the same everywhere
        super().__init__(
            variables, structure, uses, shape=shape,
            log_potentials=np.broadcast_to(given, shape) if same else transitions, terms=terms,
            cardinalities=(states,) * length, check=False, name=name,
        )  # fmt: skip

    @classmethod
    @abstractmethod
    def trellis(cls, length: int, states: int) -> tuple[Structure, Integers, Integers]:
        """Return the structure, and the indices of its weights: unary (T, K), and (T - order, K, …, K) of windows."""

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the sum of the table entries of all windows."""
        tags = self.states_of(assignment)
        total = np.zeros(self.num_factors)
        assert self.log_potentials is not None
        for t in range(self.degree - self.order):
            window = tuple(tags[:, t : t + self.order + 1].T)
            place = window if self.shared else (np.full(len(tags), t), *window)
            total += self.log_potentials[(np.arange(len(tags)), *place)]
        return total

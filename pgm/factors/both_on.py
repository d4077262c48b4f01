"""Rewards for pairs of binary variables that are ON together: the second-order factors of a parser."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from pgm import kernels
from pgm.both_on_channel import BothOnChannel, BothOnLogChannel, suits_plain_odds
from pgm.channel import Channel
from pgm.factor import Factor
from pgm.factor_run import FactorRun
from pgm.factors.table import Prepared, Table, TableRun
from pgm.layout import FactorBlock
from pgm.log_potentials import check_log_potentials

__all__ = ["BothOn"]


class BothOn(Factor):
    """log ψ(y₁, y₂) is a number where both variables are 1, and 0 elsewhere; one potential for each factor.

    Messages cost a multiplication and a division (design; Gormley et al. 2015 use such factors for grandparents and
    siblings).

    Parameters
    ----------
    variables : (factors, 2), binary
    log_potentials : (factors,)

    Examples
    --------
    >>> from pgm import BeliefPropagation, FactorGraph
    >>> graph = FactorGraph()
    >>> arcs = graph.variables("arc", shape=(3,))
    >>> pairs = graph.add(BothOn(arcs[[[0, 1], [1, 2]]], np.log([3.0, 1.0])))
    >>> BeliefPropagation().run(graph).belief(arcs)[:, 1].round(3)
    array([0.667, 0.667, 0.5  ])
    """

    row_fields = ()

    def __init__(self, variables: Any, log_potentials: ArrayLike, *, name: str | None = None) -> None:
        super().__init__(variables, name=name)
        if self.cardinalities != (2, 2):
            raise ValueError(f"{self.name} is over pairs of binary variables, not over {self.cardinalities} states")
        self.log_potentials = check_log_potentials(self.name, log_potentials, (self.num_factors,))

    @property
    def potentials(self) -> Floats:
        """(F,)."""
        return self.log_potentials

    def score(self, assignment: NDArray[np.int64]) -> Floats:
        """Return the potential where both are 1."""
        both = self.states_of(assignment).all(axis=1)
        return np.where(both, self.log_potentials, 0.0)

    def prepare(self, potentials: Floats | None) -> Floats:
        """Return the potentials."""
        return self.log_potentials if potentials is None else potentials

    def run(self, incoming: Floats, prepared: Floats) -> "BothOnRun":
        """Sum as a table would."""
        incoming = self.check_incoming(incoming)
        return BothOnRun(incoming, prepared, self.variables)

    def max_messages(self, incoming: Floats, prepared: Floats) -> Floats:
        """Maximise as a table would."""
        incoming = self.check_incoming(incoming)
        table = _table(self.variables, prepared)
        return table.max_messages(incoming, table.prepare(None))

    def best(self, incoming: Floats, prepared: Floats) -> NDArray[np.int64]:
        """Return the best of the four assignments."""
        scores = incoming[:, [0, 0, 1, 1]] + incoming[:, [2, 3, 2, 3]]
        scores[:, 3] += prepared
        places = scores.argmax(axis=1)
        impossible = scores[np.arange(len(scores)), places] == -np.inf
        if impossible.any():
            raise self.contradiction(int(np.argmax(impossible)))
        return np.stack(np.divmod(places, 2), axis=1)

    def channel(self, block: FactorBlock, prepared: Floats, *, mode: str, damping: float) -> Channel:
        """Plain odds where products of messages stay in range, log-odds where messages do."""
        if mode == "sum" and damping == 0.0 and suits_plain_odds(block, prepared):
            return BothOnChannel(block, prepared)
        if mode == "sum" and np.abs(prepared).max(initial=0.0) <= kernels.pairs.SAFE_RANGE:
            return BothOnLogChannel(block, prepared, damping=damping)
        return super().channel(block, prepared, mode=mode, damping=damping)

    def merge_key(self) -> str:
        """All of them can be stacked."""
        return "BothOn"

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterable["BothOn"]:
        """Yield rewards and penalties, one of them a ban."""
        yield cls(np.arange(6).reshape(3, 2), [1.5, -0.7, -np.inf])
        yield cls(np.arange(4).reshape(2, 2), 400.0 * rng.normal(size=2))


def _table(variables: NDArray[np.int64], log_potentials: Floats) -> Table:
    values = np.zeros((len(log_potentials), 2, 2))
    values[:, 1, 1] = log_potentials
    return Table(variables, values)


class BothOnRun(FactorRun):
    """Totals and beliefs by a formula; what else there is, by the tables that the pairs stand for."""

    def __init__(self, incoming: Floats, potentials: Floats, variables: NDArray[np.int64]) -> None:
        super().__init__(incoming, potentials)
        self._variables = variables
        self._log_partition, self._beliefs = np.empty(len(incoming)), np.empty(len(incoming))
        kernels.both_on.totals(potentials, incoming, self._log_partition, self._beliefs)

    @cached_property
    def _tables(self) -> TableRun:
        table = _table(self._variables, self.potentials)  # type: ignore[arg-type]
        return TableRun(self.incoming, Prepared(table.log_potentials), table)

    @property
    def messages(self) -> Floats:
        """(F, 4)."""
        return self._tables.messages

    @property
    def log_partition(self) -> Floats:
        """(F,)."""
        return self._log_partition

    @property
    def beliefs(self) -> Floats:
        """(F,): the probability that both are 1."""
        return self._beliefs

    def _backward(
        self, messages: Floats | None = None, log_partition: Floats | None = None, beliefs: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the adjoints of incoming messages and potentials."""
        of_tables = None
        if beliefs is not None:
            of_tables = np.zeros((len(beliefs), 2, 2))
            of_tables[:, 1, 1] = beliefs
        incoming, tables = self._tables.backward(messages, log_partition, of_tables)
        assert tables is not None
        return incoming, np.ascontiguousarray(tables[:, 1, 1])

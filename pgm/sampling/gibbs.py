"""Gibbs sampling: many chains side by side, each variable drawn in turn given all others.

Marginals are means of the conditional probabilities from which states are drawn (Rao-Blackwell), not counts of states.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_generator
from autodiff.validators import plain, whole
from pgm.errors import FactorGraphError
from pgm.exact.junction_tree import JunctionTree
from pgm.exact.tables import LocalTable, family_tables, observations, scores_of
from pgm.factor import Factor
from pgm.factors.table import Table
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.inference_result import InferenceResult

__all__ = ["Gibbs", "GibbsResult"]

States = NDArray[np.int64]
_Term = Callable[[States], Floats]  # (chains, variables) to (chains, states of one variable)

_TABULATED = 1 << 12  # assignments up to which a factor is tabulated rather than scored anew each time


@frozen(eq=False)
class GibbsResult(InferenceResult):
    """Estimated marginals, and the last states.

    Attributes
    ----------
    flat_beliefs : (states,) for each variable the estimated probabilities of its states
    samples : (chains, variables) where each chain has ended
    """

    graph: FactorGraph = field(repr=False)
    flat_beliefs: Floats = field(repr=False)
    samples: States = field(repr=False)


@frozen(kw_only=True)
class Gibbs(Inference):
    """Marginals by sampling: a check of other methods, and slow to forget where it began if the model has hard zeros.

    Parameters
    ----------
    sweeps : how often each variable is drawn in each chain
    burn_in : how many sweeps come before those
    chains : how many chains there are
    seed : a number or a Generator

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> rain, wet = graph.variable("rain"), graph.variable("wet")
    >>> _ = graph.add(Table([rain], np.log([0.8, 0.2])))
    >>> _ = graph.add(Table([rain, wet], np.log([[0.9, 0.1], [0.2, 0.8]])))
    >>> estimate = Gibbs(sweeps=500, seed=1).run(graph).belief(wet)
    >>> bool(abs(estimate[1] - 0.24) < 0.02)
    True
    """

    error_on_trees: ClassVar[float] = 0.05

    sweeps: int = field(default=1000, converter=plain, validator=whole(1))
    burn_in: int = field(default=100, converter=plain, validator=whole(0))
    chains: int = field(default=20, converter=plain, validator=whole(1))
    seed: int | np.random.Generator = field(default=0)

    def run(self, graph: FactorGraph, *, evidence: Any = None, start: States | None = None) -> GibbsResult:
        """Sample.

        Parameters
        ----------
        start : (variables,) a possible assignment to begin from; by default a random one, and where chance finds none a
            most probable one, from a junction tree

        Raises
        ------
        FactorGraphError
            If `start` is impossible.
        TooLargeError, ContradictionError
            From the junction tree, if that is needed to find a start.
        """
        rng = as_generator(self.seed, "Gibbs: seed")
        observed = observations(graph, evidence)
        states = self._start(graph, observed, start, rng)
        terms = _terms(graph, observed)
        sums = {v: np.zeros(int(graph.cardinalities[v])) for v in terms}
        for sweep in range(self.burn_in + self.sweeps):
            for v, parts in terms.items():
                logits = np.zeros((self.chains, len(sums[v])))
                for part in parts:
                    logits += part(states)
                weights = np.exp(logits - logits.max(axis=1, keepdims=True))
                cumulative = np.cumsum(weights, axis=1)
                draws = rng.random(self.chains) * cumulative[:, -1]
                states[:, v] = (draws[:, None] >= cumulative).sum(axis=1)
                if sweep >= self.burn_in:
                    sums[v] += (weights / cumulative[:, -1:]).mean(axis=0)
        beliefs = [np.eye(int(card))[observed.get(v, 0)] for v, card in enumerate(graph.cardinalities)]
        for v, total in sums.items():
            beliefs[v] = total / self.sweeps
        return GibbsResult(graph, np.concatenate([np.zeros(0), *beliefs]), states)

    def _start(
        self, graph: FactorGraph, observed: Mapping[int, int], start: States | None, rng: np.random.Generator
    ) -> States:
        """Return (chains, variables), all possible."""
        states = rng.integers(graph.cardinalities, size=(self.chains, graph.num_variables))
        if start is not None:
            states[:] = np.asarray(start)
        states[:, list(observed)] = list(observed.values())
        bad = [chain for chain in range(self.chains) if graph.score(states[chain]) == -np.inf]
        if bad and start is not None:
            raise FactorGraphError("the start has a log-potential of -inf with this evidence; give a possible one")
        if bad:
            states[bad] = JunctionTree().maximum(graph, evidence=observed).assignment()
        return states

    @classmethod
    def examples(cls) -> Iterable["Gibbs"]:
        """Yield many short chains."""
        yield cls(sweeps=200, burn_in=20, chains=100, seed=1)


def _terms(graph: FactorGraph, observed: Mapping[int, int]) -> dict[int, list[_Term]]:
    """Return for each unobserved variable what each of its factors adds to the log-weights of its states."""
    terms: dict[int, list[_Term]] = {v: [] for v in range(graph.num_variables) if v not in observed}
    for number, family in enumerate(graph.families):
        if isinstance(family, Table) or math.prod(family.cardinalities) <= _TABULATED:
            for table in family_tables(graph, number, observed):
                for axis, v in enumerate(table.scope):
                    terms[v].append(_from_table(table, axis))
        else:
            for row, variables in enumerate(family.variables.tolist()):
                for position, v in enumerate(variables):
                    if v in terms:
                        terms[v].append(_from_scores(family, row, position))
    return terms


def _from_table(table: LocalTable, axis: int) -> _Term:
    values = np.moveaxis(table.log_potentials, axis, -1)
    others = [v for position, v in enumerate(table.scope) if position != axis]
    return lambda states: values[tuple(states[:, v] for v in others)]


def _from_scores(family: Factor, row: int, position: int) -> _Term:
    card = family.cardinalities[position]

    def term(states: States) -> Floats:
        assignments = np.repeat(states[:, family.variables[row]], card, axis=0)
        assignments[:, position] = np.tile(np.arange(card), len(states))
        return scores_of(family, row, assignments).reshape(len(states), card)

    return term

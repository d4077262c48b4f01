"""Exact inference in a junction tree (Lauritzen & Spiegelhalter 1988), where the graph is narrow enough for one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.errors import TooLargeError
from pgm.exact.elimination import make_plan
from pgm.exact.messages import Messages
from pgm.exact.named_arrays import log_sum, maximise
from pgm.exact.plan import Plan, human_bytes
from pgm.exact.result import ExactResult, MapResult
from pgm.exact.tables import embed, local_tables, observations
from pgm.graph import FactorGraph

__all__ = ["JunctionTree"]

Floats = NDArray[np.float64]
_MAX_AXES = 32  # of an array in NumPy 1


@frozen
class JunctionTree:
    """Exact marginals, log-partition and most probable assignment, where the graph is narrow enough.

    Factors that are no tables are tabulated, if they are small.

    Parameters
    ----------
    budget : bytes of memory that may be used; more is refused before anything is allocated

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> chain = graph.variables("x", shape=(100,), states=3)
    >>> _ = graph.add(Table(chain[np.stack([np.arange(99), np.arange(1, 100)], axis=1)], np.eye(3)))
    >>> print(JunctionTree().plan(graph))
    treewidth 1, 99 cliques, the largest with 9 entries, 4.8 KiB of memory
    >>> result = JunctionTree().run(graph, evidence={chain[0]: 1})
    >>> result.belief(chain[1]).round(3)
    array([0.212, 0.576, 0.212])
    >>> JunctionTree().maximum(graph, evidence={chain[0]: 1}).score
    99.0
    """

    budget: int = field(default=2 << 30, kw_only=True)

    def plan(self, graph: FactorGraph, *, evidence: Mapping[Any, Any] | None = None) -> Plan:
        """Return the tree that would be used, with its treewidth and memory; nothing large is allocated."""
        return _plan(graph, observations(graph, evidence))

    def run(self, graph: FactorGraph, *, evidence: Mapping[Any, Any] | None = None) -> ExactResult:
        """Return marginals and the log-partition.

        Raises
        ------
        TooLargeError
            If it would take more memory than the budget; the message says how much.
        ContradictionError
            If no assignment is possible; the message says where that was seen.
        """
        observed, tree = self._tree(graph, evidence)
        log_partition = tree.collect(log_sum)
        beliefs = [np.eye(int(card))[observed.get(v, 0)] for v, card in enumerate(graph.cardinalities)]
        for v, belief in tree.distribute().items():
            beliefs[v] = belief

        def factor_beliefs() -> list[Floats]:
            rows: list[list[Floats]] = [[] for _ in graph.families]
            for table, belief in zip(tree.tables, tree.table_beliefs(), strict=True):
                rows[table.family].append(embed(belief, graph.families[table.family], table.row, observed))
            return [np.stack(family) for family in rows]

        return ExactResult(graph, log_partition, beliefs, factor_beliefs)

    def maximum(self, graph: FactorGraph, *, evidence: Mapping[Any, Any] | None = None) -> MapResult:
        """Return a most probable assignment; raises what `run` raises."""
        observed, tree = self._tree(graph, evidence)
        tree.collect(maximise)
        best = np.zeros(graph.num_variables, dtype=np.int64)
        for v, state in {**observed, **tree.best()}.items():
            best[v] = state
        return MapResult(graph, best, graph.score(best))

    def _tree(self, graph: FactorGraph, evidence: Mapping[Any, Any] | None) -> tuple[dict[int, int], Messages]:
        observed = observations(graph, evidence)
        plan = _plan(graph, observed)
        if plan.memory > self.budget or plan.treewidth >= _MAX_AXES:
            raise TooLargeError(
                f"the junction tree needs {human_bytes(plan.memory)}, but the budget is {human_bytes(self.budget)} "
                f"({plan}); use BeliefPropagation, observe more variables, or raise budget=…"
            )
        return observed, Messages(plan, list(local_tables(graph, observed)), graph)


def _plan(graph: FactorGraph, observed: Mapping[int, int]) -> Plan:
    cards = {v: int(card) for v, card in enumerate(graph.cardinalities) if v not in observed}
    rows = [row for family in graph.families for row in family.variables.tolist()]
    return make_plan({tuple(v for v in row if v not in observed) for row in rows}, cards)

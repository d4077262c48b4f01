"""Exact inference in a junction tree (Lauritzen & Spiegelhalter 1988), where the graph is narrow enough for one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.validators import plain, whole
from pgm.belief_table import BeliefTable
from pgm.errors import TooLargeError
from pgm.exact.elimination import make_plan
from pgm.exact.messages import Messages
from pgm.exact.named_arrays import log_sum, maximise
from pgm.exact.plan import JunctionTreePlan, human_bytes, more_bytes
from pgm.exact.result import ExactResult, MapResult
from pgm.exact.tables import LocalTable, embed, local_tables, observations, spread
from pgm.graph import FactorGraph
from pgm.inference import DifferentiableInference, check_potentials
from pgm.inference_result import check_different, labelled, listed

__all__ = ["JunctionTree"]

_MAX_AXES = 32  # of an array in NumPy 1


@frozen(kw_only=True)
class JunctionTree(DifferentiableInference):
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
    >>> _ = graph.add(Table([chain[:-1], chain[1:]], np.eye(3)))
    >>> print(JunctionTree().plan(graph))
    treewidth 1, 99 cliques, the largest with 9 entries, 4.8 KiB of memory
    >>> result = JunctionTree().run(graph, evidence={chain[0]: 1})
    >>> result.belief(chain[1]).round(3)
    array([0.212, 0.576, 0.212])
    >>> JunctionTree().maximum(graph, evidence={chain[0]: 1}).score
    99.0
    >>> JunctionTree().query(graph, ["x[0]", "x[2]"])[1, 1].__round__(3)  # in no factor together
    0.141
    """

    budget: int = field(default=2 << 30, converter=plain, validator=whole())

    def plan(self, graph: FactorGraph, *, evidence: Any = None) -> JunctionTreePlan:
        """Return the tree that would be used, with its treewidth and memory; nothing large is allocated.

        If that is far beyond the budget, no good tree is looked for: the plan is then `abandoned`, and its numbers are
        those of the tree as far as it was made.
        """
        return self._plan(graph, observations(graph, evidence))

    def run(
        self,
        graph: FactorGraph,
        *,
        evidence: Any = None,
        potentials: Sequence[Floats | None] | None = None,
        record: bool = False,
    ) -> ExactResult:
        """Return marginals and the log-partition.

        Parameters
        ----------
        potentials : for each family of the graph an array used in place of its own log-potentials, or None
        record : an exact result can go back in any case

        Raises
        ------
        TooLargeError
            If it would take more memory than the budget; the message says how much.
        ContradictionError
            If no assignment is possible; the message says where that was seen.
        """
        given = None if potentials is None else check_potentials(graph, potentials)
        observed, tree = self._tree(graph, evidence, given)
        log_partition = tree.collect(log_sum)
        beliefs = [np.eye(int(card))[observed.get(v, 0)] for v, card in enumerate(graph.cardinalities)]
        for v, belief in tree.distribute().items():
            beliefs[v] = belief

        def family_beliefs() -> list[Floats]:
            rows: list[list[Floats]] = [[] for _ in graph.families]
            for table, belief in zip(tree.tables, tree.table_beliefs(), strict=True):
                rows[table.family].append(embed(belief, graph.families[table.family], table.row, observed))
            return [np.stack(family) for family in rows]

        def joint_belief(variables: list[int]) -> Floats:
            return self._joint(graph, observed, tree.tables, variables)

        flat = np.concatenate([np.zeros(0), *beliefs])
        return ExactResult(
            graph=graph,
            potentials=given,
            log_partition=log_partition,
            flat_beliefs=flat,
            make_family_beliefs=family_beliefs,
            make_joint_belief=joint_belief,
            make_assignment=lambda: _best(graph, observed, Messages(tree.plan, tree.tables, graph)),
        )

    def query(self, graph: FactorGraph, variables: Any, *, evidence: Any = None) -> BeliefTable:
        """Return the joint belief of some variables (or their names), with labels.

        They need not be in one factor: the tree is made so that they are in one clique.  Raises what `run` raises.

        Parameters
        ----------
        variables : single variables, names or numbers; or one of them
        """
        several = listed(graph, variables)
        observed = observations(graph, evidence)
        return labelled(graph, several, self._joint(graph, observed, None, [v.index for v in several]))

    def maximum(self, graph: FactorGraph, *, evidence: Any = None) -> MapResult:
        """Return a most probable assignment and nothing else, in half the time of `run`; raises what that raises."""
        observed, tree = self._tree(graph, evidence, None)
        best = _best(graph, observed, tree)
        return MapResult(graph, best, graph.score(best))

    @classmethod
    def examples(cls) -> Iterable["JunctionTree"]:
        """Yield the only kind."""
        yield cls()

    def _tree(
        self, graph: FactorGraph, evidence: Any, potentials: Sequence[Floats | None] | None
    ) -> tuple[dict[int, int], Messages]:
        observed = observations(graph, evidence)
        plan = self._checked(self._plan(graph, observed))
        return observed, Messages(plan, list(local_tables(graph, observed, potentials=potentials)), graph)

    def _joint(
        self,
        graph: FactorGraph,
        observed: Mapping[int, int],
        tables: Sequence[LocalTable] | None,
        variables: list[int],
    ) -> Floats:
        """Return the joint belief of variables, (c_1, …, c_k), in a tree in which they are in one clique."""
        check_different(graph, variables)
        free = tuple(v for v in variables if v not in observed)
        plan = self._checked(self._plan(graph, observed, free))
        tree = Messages(plan, list(local_tables(graph, observed)) if tables is None else tables, graph)
        tree.collect(log_sum)
        return spread(graph, variables, tree.joint(free), observed)

    def _plan(
        self, graph: FactorGraph, observed: Mapping[int, int], together: tuple[int, ...] = ()
    ) -> JunctionTreePlan:
        cards = {v: int(card) for v, card in enumerate(graph.cardinalities) if v not in observed}
        rows = [row for family in graph.families for row in family.variables.tolist()]
        scopes = {tuple(v for v in row if v not in observed) for row in rows} | {together}
        return make_plan(scopes, cards, budget=self.budget)

    def _checked(self, plan: JunctionTreePlan) -> JunctionTreePlan:
        if plan.memory > self.budget or plan.treewidth >= _MAX_AXES:
            more = "more than " if plan.abandoned else ""
            why = f"needs {more}{more_bytes(plan.memory, self.budget)}, but the budget is {human_bytes(self.budget)}"
            if plan.memory <= self.budget:
                why = f"has a clique of {plan.treewidth + 1} variables, but an array has at most {_MAX_AXES} axes"
            raise TooLargeError(
                f"the junction tree {why} ({plan}); use BeliefPropagation, observe more variables"
                + (", or raise budget=…" if plan.memory > self.budget else "")
            )
        return plan


def _best(graph: FactorGraph, observed: Mapping[int, int], tree: Messages) -> NDArray[np.int64]:
    """Return (variables,): a most probable assignment, from a tree without messages."""
    tree.collect(maximise)
    best = np.zeros(graph.num_variables, dtype=np.int64)
    for v, state in {**observed, **tree.best()}.items():
        best[v] = state
    return best

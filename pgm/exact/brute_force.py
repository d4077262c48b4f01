"""Inference by listing every assignment: slow, and simple enough to be believed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.validators import plain, whole
from pgm.belief_table import BeliefTable
from pgm.errors import ContradictionError, TooLargeError
from pgm.exact.result import ExactResult, MapResult
from pgm.exact.tables import LocalTable, embed, local_tables, observations, spread
from pgm.graph import FactorGraph
from pgm.inference import DifferentiableInference, check_potentials
from pgm.inference_result import labelled, listed

__all__ = ["BruteForce"]


@frozen(kw_only=True)
class BruteForce(DifferentiableInference):
    """Sum or maximise over all assignments, of any factors that have a `score`.

    Parameters
    ----------
    limit : the greatest number of assignments of the unobserved variables; each costs 16 bytes

    Examples
    --------
    >>> from pgm.factors import Table
    >>> graph = FactorGraph()
    >>> rain, wet = graph.variable("rain", ["no", "yes"]), graph.variable("wet", ["no", "yes"])
    >>> _ = graph.add(Table([rain], np.log([0.8, 0.2])))
    >>> _ = graph.add(Table([rain, wet], np.log([[0.9, 0.1], [0.2, 0.8]])))
    >>> BruteForce().run(graph, evidence={wet: "yes"}).belief(rain).round(3)
    array([0.333, 0.667])
    >>> BruteForce().maximum(graph).states()
    {'rain': 'no', 'wet': 'no'}
    >>> BruteForce().query(graph, ["rain", "wet"])["yes", "no"]
    0.04...
    """

    limit: int = field(default=1 << 22, converter=plain, validator=whole(1))

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
            If there are more assignments than `limit`.
        ContradictionError
            If no assignment is possible.
        """
        given = None if potentials is None else check_potentials(graph, potentials)
        observed, free, tables, joint = self._joint(graph, evidence, given)
        best = _best(graph, observed, free, joint)
        top = joint.max()
        weights = np.exp(joint - top)
        total = weights.sum()
        weights /= total
        beliefs = [np.eye(int(card))[observed.get(v, 0)] for v, card in enumerate(graph.cardinalities)]
        for axis, v in enumerate(free):
            beliefs[v] = _marginal(weights, [axis])

        def family_beliefs() -> list[Floats]:
            rows: list[list[Floats]] = [[] for _ in graph.families]
            for table in tables:
                joint_belief = _marginal(weights, [free.index(v) for v in table.scope])
                rows[table.family].append(embed(joint_belief, graph.families[table.family], table.row, observed))
            return [np.stack(family) for family in rows]

        def joint_belief(variables: list[int]) -> Floats:
            known = [v for v in variables if v not in observed]
            return spread(graph, variables, _marginal(weights, [free.index(v) for v in known]), observed)

        flat = np.concatenate([np.zeros(0), *beliefs])
        return ExactResult(
            graph=graph,
            potentials=given,
            log_partition=float(top + np.log(total)),
            flat_beliefs=flat,
            make_family_beliefs=family_beliefs,
            make_joint_belief=joint_belief,
            make_assignment=lambda: best,
        )

    def query(self, graph: FactorGraph, variables: Any, *, evidence: Any = None) -> BeliefTable:
        """Return the joint belief of some variables (or their names), with labels; raises what `run` raises."""
        several = listed(graph, variables)
        return labelled(graph, several, self.run(graph, evidence=evidence).belief(several))

    def maximum(self, graph: FactorGraph, *, evidence: Any = None) -> MapResult:
        """Return the most probable assignment, the first if there are several, and nothing else."""
        observed, free, _, joint = self._joint(graph, evidence, None)
        best = _best(graph, observed, free, joint)
        return MapResult(graph, best, graph.score(best))

    @classmethod
    def examples(cls) -> Iterable["BruteForce"]:
        """Yield the only kind."""
        yield cls()

    def _joint(
        self, graph: FactorGraph, evidence: Any, potentials: Sequence[Floats | None] | None
    ) -> tuple[dict[int, int], list[int], list[LocalTable], Floats]:
        """Return the evidence, the free variables, the tables, and the log-potential of every assignment."""
        observed = observations(graph, evidence)
        free = [v for v in range(graph.num_variables) if v not in observed]
        cards = [int(graph.cardinalities[v]) for v in free]
        if math.prod(cards) > self.limit:
            raise TooLargeError(
                f"{len(free)} free variables have about 1e{sum(map(math.log10, cards)):.0f} assignments, but brute "
                f"force may list {self.limit} (limit=…); use JunctionTree or BeliefPropagation"
            )
        tables = list(local_tables(graph, observed, limit=self.limit, potentials=potentials))
        joint = np.zeros(cards)
        for table in tables:
            axes = [free.index(v) for v in table.scope]
            shape = [1] * len(free)
            for axis in axes:
                shape[axis] = cards[axis]
            joint += table.log_potentials.transpose(np.argsort(axes)).reshape(shape)
        if joint.max() == -np.inf:
            given = " with this evidence" if evidence else ""
            raise ContradictionError(f"no assignment{given} satisfies all {graph.num_factors} factors")
        return observed, free, tables, joint


def _best(graph: FactorGraph, observed: Mapping[int, int], free: list[int], joint: Floats) -> NDArray[np.int64]:
    """Return (variables,): the first of the most probable assignments."""
    best = np.zeros(graph.num_variables, dtype=np.int64)
    best[list(observed)] = list(observed.values())
    best[free] = np.unravel_index(int(np.argmax(joint)), joint.shape)
    return best


def _marginal(weights: Floats, axes: list[int]) -> Floats:
    """Sum over all other axes, and return these in their order."""
    result = np.asarray(weights.sum(axis=tuple(a for a in range(weights.ndim) if a not in axes)))
    return result.transpose(np.argsort(np.argsort(axes)))

"""The log-partition of a graph and its gradient: what all likelihoods are made of."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.belief_propagation import BeliefPropagation
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.learning.errors import GoldError
from pgm.learning.example import Example
from pgm.result import BeliefResult
from pgm.unrolled import UnrolledBeliefPropagation

Floats = NDArray[np.float64]


class Inference(Protocol):
    """`BeliefPropagation`, or an exact method such as `pgm.exact.JunctionTree`."""

    def run(self, graph: FactorGraph, *, evidence: Any = None) -> Any:
        """Return a result with a log-partition and the beliefs of factors."""


@frozen(eq=False)
class LogPartition:
    """A log-partition, its gradient by the log-potentials of each family, and whether inference converged."""

    value: float = field()
    gradient: Sequence[Floats | None] = field()
    converged: bool | None = field()


def log_partition(
    inference: Inference, graph: FactorGraph, evidence: Mapping[int, Any], *, through: bool
) -> LogPartition:
    """Run inference; with `through`, differentiate its iterations instead of taking beliefs for the gradient."""
    if through:
        return _through_iterations(inference, graph, evidence)
    result = inference.run(graph, evidence=evidence)
    if isinstance(result, BeliefResult):
        beliefs = [None if family.potentials is None else result.belief(family) for family in graph.families]
        return LogPartition(result.log_partition, beliefs, result.converged)
    joint = result.factor_beliefs
    return LogPartition(
        result.log_partition, [_of_entries(f, b) for f, b in zip(graph.families, joint, strict=True)], True
    )


def _of_entries(family: Factor, joint: Floats) -> Floats | None:
    if family.potentials is None:
        return None
    if family.potentials.shape != joint.shape:
        raise FactorGraphError(
            f"{family!r} has potentials of shape {family.potentials.shape}, which are no table: "
            f"exact inference gives no beliefs for them; use BeliefPropagation, which is exact on a tree of factors"
        )
    return joint


def _through_iterations(inference: Inference, graph: FactorGraph, evidence: Mapping[int, Any]) -> LogPartition:
    module = unrolled(inference, graph, evidence)
    (*others, value), backward = module.forward(*soft_potentials(graph))
    adjoints = backward(*[None] * len(others), 1.0)
    return LogPartition(float(value), by_family(graph, adjoints), None)


def unrolled(inference: Any, graph: FactorGraph, evidence: Mapping[int, Any]) -> UnrolledBeliefPropagation:
    """Return belief propagation with its settings (but its tolerance) as a module."""
    if not isinstance(inference, BeliefPropagation):
        raise FactorGraphError(f"only the iterations of BeliefPropagation can be gone back through, not {inference!r}")
    return UnrolledBeliefPropagation(
        graph,
        iterations=inference.iterations,
        schedule=inference.schedule,
        damping=inference.damping,
        evidence=evidence,
    )


def soft_potentials(graph: FactorGraph) -> list[Floats]:
    """Return the potentials of the families that have some."""
    return [family.potentials for family in graph.families if family.potentials is not None]


def by_family(graph: FactorGraph, of_soft: Sequence[Floats]) -> list[Floats | None]:
    """Return one entry for each family, None for hard ones, given those of the families with potentials."""
    given = iter(of_soft)
    return [None if family.potentials is None else next(given) for family in graph.families]


def gold_score(example: Example, why: str) -> LogPartition:
    """Return the score of the gold assignment and its gradient (for a table: 1 at the gold entry)."""
    states = example.complete(why)
    score, gradient = 0.0, []
    for family in example.graph.families:
        places = family.offsets[:-1] + states[family.variables]
        clamped = np.full((family.num_factors, int(family.offsets[-1])), -np.inf)
        np.put_along_axis(clamped, places, 0.0, axis=1)
        run = family.run(clamped, family.prepare(family.potentials))
        impossible = np.flatnonzero(run.log_partition == -np.inf)
        if len(impossible):
            raise GoldError(
                f"{family.describe(int(impossible[0]))} forbids the gold assignment, so it has no likelihood"
            )
        score += float(run.log_partition.sum())
        gradient.append(None if family.potentials is None else run.beliefs)
    return LogPartition(score, gradient, True)


def difference(first: LogPartition, second: LogPartition) -> tuple[float, list[Floats | None]]:
    """Return the difference of two log-partitions of the same graph, and its gradient."""
    gradient = [None if a is None or b is None else a - b for a, b in zip(first.gradient, second.gradient, strict=True)]
    return first.value - second.value, gradient

"""The log-partition of a graph and its gradient: what all likelihoods are made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from pgm.belief_propagation import BeliefPropagation
from pgm.errors import FactorGraphError
from pgm.factor import Factor
from pgm.graph import FactorGraph
from pgm.inference import Inference
from pgm.inference_result import InferenceResult
from pgm.learning.errors import GoldError
from pgm.learning.example import Example

Floats = NDArray[np.float64]


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
        result = recorded(inference, graph, evidence)
        return LogPartition(result.log_partition, of_all(graph, result.backward(log_partition=1.0)), None)
    result = inference.run(graph, evidence=evidence)
    return LogPartition(result.log_partition, of_all(graph, result.factor_beliefs), result.converged)


def recorded(inference: Inference, graph: FactorGraph, evidence: Mapping[int, Any]) -> InferenceResult:
    """Return the result of a run that can go back."""
    if not isinstance(inference, BeliefPropagation):
        raise FactorGraphError(f"only the iterations of BeliefPropagation can be gone back through, not {inference!r}")
    return inference.run(graph, evidence=evidence, record=True)


def of_all(graph: FactorGraph, by_family: Mapping[Factor, Floats]) -> list[Floats | None]:
    """Return one entry for each family, None for hard ones."""
    return [by_family.get(family) for family in graph.families]


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

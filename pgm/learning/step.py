"""What training, tuning and checks share: the loss of an instance, and its gradient by the parameters."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autodiff.array_types import Floats
from hypergraph.errors import HypergraphError
from pgm.errors import PgmError
from pgm.learning.errors import TrainingDivergedError
from pgm.learning.instance import Instance
from pgm.learning.objective import Objective, ObjectiveValue
from pgm.learning.scorer import Gradients
from pgm.learning.structured_model import StructuredModel

__all__ = ["add_gradient"]

_LARGEST_SCORE = 1e100
"""Inference takes no larger ones."""


def add_gradient(
    model: StructuredModel,
    instance: Instance,
    objective: Objective,
    gradients: Gradients | None,
    *,
    progress: float = 0.0,
    rng: np.random.Generator | None = None,
) -> ObjectiveValue:
    """Evaluate the objective on an instance, and add the gradient by the parameters, if it is wanted.

    Raises
    ------
    TrainingDivergedError
        If a score or the loss is no number any more, or huge.
    """
    scores, backward = model.scorer.score(instance, rng=rng)
    try:
        evaluation = objective.evaluate(instance, scores, progress=progress)
    except (PgmError, HypergraphError):  # inference takes neither NaN nor huge scores: say where they come from
        _check(scores)
        raise
    if not np.isfinite(evaluation.loss):
        raise TrainingDivergedError(f"the loss is {evaluation.loss:g}")
    if gradients is not None:
        backward(evaluation.adjoints, gradients)
    return evaluation


def _check(scores: Mapping[Any, Floats]) -> None:
    for kind, values in scores.items():
        wrong = values[~(np.abs(values) < _LARGEST_SCORE) & (values != -np.inf)]
        if wrong.size:
            raise TrainingDivergedError(f"a score of {kind!r} is {wrong[0]:g}") from None

"""What the batches of dependency trees share: padded scores of arcs, and sentences without a tree."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from hypergraph.batched.chart import check_lengths, check_potentials
from hypergraph.errors import ImpossibleError, WeightError

__all__ = ["check_arcs", "refuse_impossible"]


def check_arcs(scores: ArrayLike, lengths: ArrayLike | None) -> tuple[Floats, NDArray[np.int64]]:
    """Return scores (batch, N, N) of arcs and lengths (batch,) as kernels take them, or say what is wrong with them."""
    scores = check_potentials("scores", scores, ndim=3)
    if scores.shape[1] != scores.shape[2] or scores.shape[1] < 2:
        raise WeightError(
            f"scores are (batch, N, N), of arcs h → m at [:, h, m] with the root at 0 and N ≥ 2, not {scores.shape}"
        )
    return scores, check_lengths(lengths, len(scores), scores.shape[2] - 1)


def refuse_impossible(totals: Floats, tree: str) -> None:
    """Refuse a batch in which a total is -inf, as there is no `tree` of weight above zero."""
    impossible = np.flatnonzero(totals == -np.inf)
    if len(impossible):
        raise ImpossibleError(
            f"sentence {impossible[0]} of the batch has no {tree} without an arc of -inf "
            f"({len(impossible)} such sentences in all); leave at least one tree with finite scores"
        )

"""From beliefs or scores of arcs to a tree: never a cycle, never a second root where there may be but one."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hypergraph import kbest
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings

__all__ = ["Decoder", "best_tree", "best_trees_of", "log_odds", "minimum_risk"]

Floats = NDArray[np.float64]
Decoder = Literal["mbr", "log-odds", "map"]


def minimum_risk(
    parts: Parts, settings: ModelSettings, beliefs: Floats, *, decoder: Decoder = "mbr"
) -> NDArray[np.int64]:
    """Return the head of each word, (n + 1,) with -1 for the root.

    "mbr" maximises the expected number of right arcs (Gormley et al. 2015, eq. 3); "log-odds" the sum of
    log b / (1 - b) (Smith & Eisner 2008).

    Examples
    --------
    >>> parts = Parts.all_arcs(2)
    >>> minimum_risk(parts, ModelSettings(), np.array([0.9, 0.1, 0.2, 0.8]))
    array([-1,  0,  1])
    """
    return best_tree(parts, settings, log_odds(beliefs) if decoder == "log-odds" else beliefs)


def log_odds(beliefs: Floats) -> Floats:
    """Return log b / (1 - b), finite for 0 and 1 too."""
    tiny = np.finfo(np.float64).tiny
    return np.log(np.maximum(beliefs, tiny)) - np.log(np.maximum(1.0 - beliefs, tiny))


def best_trees_of(
    parts: Parts, settings: ModelSettings, scores: Floats, k: int
) -> list[tuple[float, NDArray[np.int64]]]:
    """Return the k trees of the candidate arcs with the greatest sums of scores, best first.

    Examples
    --------
    >>> best_trees_of(Parts.all_arcs(2), ModelSettings(), np.array([3.0, 0.0, 1.0, 2.0]), k=2)
    [(5.0, array([-1,  0,  1])), (1.0, array([-1,  2,  0]))]
    """
    trees = settings.trees(parts.n)
    found = kbest(trees, parts.matrix(scores, -np.inf), k)
    return [(derivation.score, trees.decode(derivation)) for derivation in found]


def best_tree(parts: Parts, settings: ModelSettings, scores: Floats) -> NDArray[np.int64]:
    """Return the tree of the candidate arcs with the greatest sum of scores (arcs,)."""
    heads: NDArray[np.int64] = settings.trees(parts.n).best(parts.matrix(scores, -np.inf))[1]
    return heads

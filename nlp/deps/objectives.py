"""What training makes small: a loss for one sentence, with its adjoints for the scores of arcs and pairs.

- "cll": the negative conditional log-likelihood; its surrogate from factor beliefs where inference is approximate (§6);
- "l2": the squared distance of beliefs from the gold tree, through inference (§4.2);
- "risk": the expected number of wrong heads of a soft decoder at a temperature, through decoder and inference (§4.1).
Sections are those of Gormley et al. (2015).
"""

from typing import Literal

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from nlp.deps.inference import infer, pairs_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings

__all__ = ["Objective", "loss_and_adjoints"]

Floats = NDArray[np.float64]
Objective = Literal["cll", "l2", "risk"]


def loss_and_adjoints(
    objective: Objective,
    parts: Parts,
    settings: ModelSettings,
    arc_scores: Floats,
    pair_scores: Floats,
    gold: NDArray[np.int64],
    *,
    temperature: float = 0.1,
) -> tuple[float, Floats, Floats]:
    """Return the loss of a sentence and the adjoints of the scores of its arcs and pairs.

    Parameters
    ----------
    gold : (n + 1,) the head of each word, -1 first; for "cll" a tree of candidate arcs
    temperature : of the soft decoder, for "risk"
    """
    target = parts.indicator(gold)
    if objective == "cll":
        run = infer(parts, settings, arc_scores, pair_scores, factors=True)
        log_partition, arcs, pairs = run.likelihood()
        first, second = pairs_of(parts, settings).T
        both = target[first] * target[second]
        return float(log_partition - target @ arc_scores - both @ pair_scores), arcs - target, pairs - both
    run = infer(parts, settings, arc_scores, pair_scores)
    if objective == "l2":
        difference = run.beliefs - target
        # Both states of an arc's variable are off by as much.
        return float(2.0 * difference @ difference), *run.backward(4.0 * difference)
    soft = evolve(settings, order=1, constraint="tree")
    decoder = infer(parts, soft, run.beliefs / temperature, np.zeros(0))
    on_beliefs, _ = decoder.backward(-target)
    return float(parts.n - target @ decoder.beliefs), *run.backward(on_beliefs / temperature)

"""What training makes small: a loss for one sentence, with its adjoints for the scores of all parts.

- "cll": the negative conditional log-likelihood; its surrogate from factor beliefs where inference is approximate (§6);
- "l2": the squared distance of beliefs from the gold tree, through inference (§4.2);
- "risk": the expected number of wrong heads of a soft decoder at a temperature, through decoder and inference (§4.1).
Sections are those of Gormley et al. (2015).  An objective is a function in `OBJECTIVES`; an online one (a perceptron)
would be another, with the difference of two trees for its adjoints.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nlp.deps.graphs import Scores
from nlp.deps.inference import infer
from nlp.deps.kinds import kinds_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings, first_order

__all__ = ["OBJECTIVES", "Loss", "loss_and_adjoints"]

Floats = NDArray[np.float64]
Loss = tuple[float, Scores]


def loss_and_adjoints(
    objective: str,
    parts: Parts,
    settings: ModelSettings,
    scores: Scores,
    gold: NDArray[np.int64],
    *,
    temperature: float = 0.1,
) -> Loss:
    """Return the loss of a sentence and the adjoints of the scores of its parts.

    Parameters
    ----------
    gold : (n + 1,) the head of each word, -1 first; for "cll" a tree of candidate arcs
    temperature : of the soft decoder, for "risk"
    """
    return OBJECTIVES[objective](parts, settings, scores, parts.indicator(gold), temperature)


def _likelihood(parts: Parts, settings: ModelSettings, scores: Scores, tree: Floats, _: float) -> Loss:
    loss, beliefs = infer(parts, settings, scores).likelihood()
    for kind in kinds_of(settings):
        present = kind.present(parts, tree)
        loss -= float(present @ scores[kind.name])
        beliefs[kind.name] = beliefs[kind.name] - present
    return loss, beliefs


def _distance(parts: Parts, settings: ModelSettings, scores: Scores, tree: Floats, _: float) -> Loss:
    run = infer(parts, settings, scores, record=True)
    difference = run.beliefs - tree
    # Both states of an arc's variable are off by as much.
    return float(2.0 * difference @ difference), run.backward(4.0 * difference)


def _risk(parts: Parts, settings: ModelSettings, scores: Scores, tree: Floats, temperature: float) -> Loss:
    run = infer(parts, settings, scores, record=True)
    decoder = infer(parts, first_order(settings), {"arc": run.beliefs / temperature}, record=True)
    on_beliefs = decoder.backward(-tree)["arc"]
    return float(parts.n - tree @ decoder.beliefs), run.backward(on_beliefs / temperature)


OBJECTIVES: dict[str, Callable[[Parts, ModelSettings, Scores, Floats, float], Loss]] = {
    "cll": _likelihood,
    "l2": _distance,
    "risk": _risk,
}
"""Each takes candidate arcs, the model, scores, the indicator of the gold tree, and a temperature."""

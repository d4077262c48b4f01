"""MAP: the tree with the greatest score under the model."""

import numpy as np
from numpy.typing import NDArray

from nlp.deps.decoding import best_tree, log_odds
from nlp.deps.graphs import Scores
from nlp.deps.inference import infer, is_exact, model_graph, schedule_of
from nlp.deps.kinds import kinds_of
from nlp.deps.kinds.pairs import PairKind
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from pgm import BeliefPropagation

__all__ = ["map_tree", "tree_score"]


def tree_score(parts: Parts, settings: ModelSettings, scores: Scores, heads: NDArray[np.int64]) -> float:
    """Return the score of a tree of candidate arcs, heads (n + 1,): the sum of the scores of its parts."""
    tree = parts.indicator(heads)
    return float(sum(kind.present(parts, tree) @ scores[kind.name] for kind in kinds_of(settings)))


def map_tree(parts: Parts, settings: ModelSettings, scores: Scores) -> NDArray[np.int64]:
    """Return the tree with the greatest score; exactly, if the model's inference is exact.

    Otherwise max-product belief propagation makes a guess; of this one, the minimum-risk tree and the best tree by its
    arcs alone, the one with the greatest score is taken, and then one head after another is changed as long as that
    makes the score greater (McDonald & Pereira 2006; not in models with childseq, and never the only root).
    """
    guesses = [best_tree(parts, settings, scores["arc"])]
    exact = is_exact(settings, scores)
    if len(scores) > 1:
        propagation = BeliefPropagation(
            mode="max",
            iterations=1 if exact else settings.iterations,
            schedule=schedule_of(settings, exact=exact),
            damping=0.0 if exact else settings.damping,
        )
        result = propagation.run(model_graph(parts, settings, scores).graph)
        guesses.insert(0, best_tree(parts, settings, log_odds(result.flat_beliefs[1::2])))
        if not exact:
            guesses.append(best_tree(parts, settings, infer(parts, settings, scores).beliefs))
    best = max(guesses, key=lambda heads: tree_score(parts, settings, scores, heads))
    return best if exact else _climb(parts, settings, scores, best)


def _climb(parts: Parts, settings: ModelSettings, scores: Scores, heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a tree that no change of one head makes better; for models of arcs and pairs of arcs."""
    pairs = [kind for kind in kinds_of(settings) if isinstance(kind, PairKind)]
    if len(pairs) + 1 < len(kinds_of(settings)):
        return heads
    trees = settings.trees(parts.n)
    while True:
        tree = parts.indicator(heads)
        gains = scores["arc"] + sum(kind.gains(parts, tree, scores[kind.name]) for kind in pairs)
        # Two arcs to one word are no pair, so what is gained is what the one adds less what the other does.
        gains -= gains[np.flatnonzero(tree)][parts.modifiers - 1]
        for arc in np.argsort(-gains, kind="stable"):
            if gains[arc] <= _NOTHING:
                return heads
            changed = heads.copy()
            changed[parts.modifiers[arc]] = parts.heads[arc]
            if trees.contains(changed):
                heads = changed
                break
        else:
            return heads


_NOTHING = 1e-9

"""What `make demo` shows: a toy sentence with hand-set arc scores, parsed by the hypergraph engine."""

import numpy as np
from numpy.typing import NDArray

from hypergraph import entropy, kbest, log_partition, marginals, viterbi
from hypergraph.structures import ProjectiveTrees
from nlp.deps.text_tree import text_tree

__all__ = ["report"]

WORDS = ["time", "flies", "like", "an", "arrow"]

# How well a head (0 is the root) goes with a modifier, by position; every arc that is not listed has UNLISTED.
SCORES = {
    (0, 2): 3.0,  # "flies" is the verb …
    (2, 1): 3.0,  # … time is what flies …
    (2, 3): 2.5,  # … and how it flies is "like an arrow"
    (3, 5): 3.0,
    (5, 4): 4.0,
    (0, 3): 2.6,  # "like" is the verb: there are time flies, and they like an arrow
    (3, 2): 2.4,
    (0, 1): 2.0,  # "time" is the verb: an order to time flies the way an arrow does
    (1, 2): 2.2,
    (1, 3): 1.8,
}
UNLISTED = -1.0


def arc_scores() -> NDArray[np.float64]:
    """Return the scores as an array (n + 1, n + 1), arc h → m at [h, m]."""
    scores = np.full((len(WORDS) + 1, len(WORDS) + 1), UNLISTED)
    for arc, score in SCORES.items():
        scores[arc] = score
    return scores


def report() -> str:
    """Return the best tree with its probability, the arc marginals as a table, and the 3 best trees.

    Examples
    --------
    >>> print(report().splitlines()[0])
    Sentence: time flies like an arrow
    """
    trees = ProjectiveTrees(len(WORDS), roots="one")
    weights = trees.weights(arc_scores())
    log_total = log_partition(trees, weights)
    best = viterbi(trees, weights)
    lines = [
        f"Sentence: {' '.join(WORDS)}",
        "",
        f"Best tree, score {best.score:.1f}, probability {np.exp(best.score - log_total):.3f}:",
        "",
        text_tree(WORDS, trees.decode(best).tolist()),
        "",
        f"log Z = {log_total:.4f}, entropy = {entropy(trees, weights):.4f} nats",
        "",
        "Arc marginals (rows: head, columns: modifier):",
        "",
        _table(marginals(trees, weights)),
        "",
        "The 3 best trees:",
    ]
    for rank, derivation in enumerate(kbest(trees, weights, k=3), start=1):
        probability = np.exp(derivation.score - log_total)
        lines += ["", f"{rank}. score {derivation.score:.1f}, probability {probability:.3f}", ""]
        lines.append(text_tree(WORDS, trees.decode(derivation).tolist()))
    return "\n".join(lines)


def _table(probabilities: NDArray[np.float64]) -> str:
    names = ["(root)", *WORDS]
    rows = [" ".join([f"{'':>8}", *(f"{word:>8}" for word in WORDS)])]
    for head, name in enumerate(names):
        cells = (f"{probabilities[head, m]:8.3f}" if m != head else f"{'·':>8}" for m in range(1, len(names)))
        rows.append(" ".join([f"{name:>8}", *cells]))
    return "\n".join(rows)

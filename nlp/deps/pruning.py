"""Which arcs are worth a second look (Gormley et al. 2015, §7.1).

Length bounds for each pair of tags; then a first-order model, of which for each word the heads within a factor of the
best one are kept, and at most ten.  The right-branching tree stays, so that there is always some parse.
"""

from collections.abc import Callable, Sequence

import numpy as np
from attrs import field, frozen
from attrs.validators import instance_of
from numpy.typing import NDArray

from autodiff.validators import number, plain, whole
from nlp.conll import Sentence
from nlp.deps.inference import infer
from nlp.deps.length_bounds import LengthBounds
from nlp.deps.parts import Parts
from nlp.deps.scorer import Scorer
from nlp.deps.settings import ModelSettings, first_order
from nlp.features import EncodedSentence

__all__ = ["Pruner", "PruningSettings", "oracle"]

Floats = NDArray[np.float64]


@frozen(kw_only=True)
class PruningSettings:
    """How much is pruned.

    Attributes
    ----------
    bounds : whether arcs longer than any seen in training for their (fine) tags are pruned; where there are many tags
        and little data this costs more gold arcs than the model does
    model : whether a first-order model prunes
    threshold : a head is kept if its probability is at least so much of that of the word's best head
    most : at most so many heads for each word
    folds : training sentences are pruned by models that have not seen them, so many; 1: by the one that has
    epochs : of training the pruning model
    """

    bounds: bool = field(default=False, validator=instance_of(bool))
    model: bool = field(default=True, validator=instance_of(bool))
    threshold: float = field(default=1e-4, converter=plain, validator=number(above=0, most=1))
    most: int = field(default=10, converter=plain, validator=whole(1))
    folds: int = field(default=4, converter=plain, validator=whole(1))
    epochs: int = field(default=1, converter=plain, validator=whole(1))


@frozen(eq=False)
class Pruner:
    """Length bounds and a first-order model with weights; either may be missing."""

    settings: PruningSettings = field()
    model: ModelSettings = field()
    bounds: LengthBounds | None = field(default=None, repr=False)
    scorer: Scorer | None = field(default=None, repr=False)
    weights: Floats | None = field(default=None, repr=False)

    def candidates(self, sentence: Sentence, encoded: EncodedSentence | None = None) -> Parts:
        """Return the arcs that are left; `encoded` is the sentence by the scorer's vocabulary, if it is there."""
        n = len(sentence)
        allowed = self.bounds.allowed(sentence) if self.bounds is not None else np.ones((n + 1, n + 1), dtype=np.bool_)
        places = np.arange(n)
        allowed[places, places + 1] = True
        if self.scorer is None or self.weights is None:
            return Parts.of_mask(allowed)
        parts = Parts.of_mask(allowed)
        scores = self.scorer.scores(self.scorer.prepare(sentence if encoded is None else encoded), parts, self.weights)
        beliefs = infer(parts, first_order(self.model), scores).beliefs
        kept = _likely(parts.matrix(beliefs, 0.0), self.settings)
        kept[places, places + 1] = True
        return Parts.of_mask(kept & allowed)


def _likely(matrix: Floats, settings: PruningSettings) -> NDArray[np.bool_]:
    """Return the heads of each word (columns) that are probable enough, and among the most probable."""
    best = matrix.max(axis=0)
    kept = (matrix >= settings.threshold * best) & (matrix > 0)
    if settings.most < len(matrix):
        least = np.partition(matrix, -settings.most, axis=0)[-settings.most]
        kept &= matrix >= least
    return kept


def jackknife(
    sentences: Sequence[Sentence], folds: int, fit: Callable[[list[Sentence]], Pruner]
) -> tuple[Pruner, list[Parts]]:
    """Return a pruner fitted on all sentences, and the candidates of each by one that was fitted on the others."""
    whole = fit(list(sentences))
    folds = min(folds, len(sentences))
    if folds <= 1:
        return whole, [whole.candidates(sentence) for sentence in sentences]
    candidates: list[Parts | None] = [None] * len(sentences)
    for fold in range(folds):
        pruner = fit([sentence for i, sentence in enumerate(sentences) if i % folds != fold])
        for i in range(fold, len(sentences), folds):
            candidates[i] = pruner.candidates(sentences[i])
    return whole, [parts for parts in candidates if parts is not None]


def oracle(sentences: Sequence[Sentence], candidates: Sequence[Parts]) -> tuple[float, float]:
    """Return the percentage of gold arcs that are left, and the mean number of heads of a word."""
    right = words = arcs = 0
    for sentence, parts in zip(sentences, candidates, strict=True):
        right += int(parts.indicator(np.concatenate([[-1], sentence.heads])).sum())
        words += len(sentence)
        arcs += len(parts)
    return 100.0 * right / max(words, 1), arcs / max(words, 1)

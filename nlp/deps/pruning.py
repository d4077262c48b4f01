"""Which arcs are worth a second look (Gormley et al. 2015, §7.1).

Length bounds for each pair of tags; then a first-order model, of which for each word the heads within a factor of the
best one are kept, and at most `max_heads`.  The right-branching tree stays, so that there is always some parse.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import field, frozen
from attrs.validators import instance_of, optional
from numpy.typing import NDArray

from autodiff.array_types import Floats
from autodiff.named import setting
from autodiff.validators import number, plain, whole
from nlp.conll import Sentence
from nlp.deps.length_bounds import LengthBounds
from nlp.deps.parts import Parts
from nlp.features import EncodedSentence

if TYPE_CHECKING:
    from nlp.deps.model import DependencyModel

__all__ = ["Pruner", "PruningSettings", "jackknife", "oracle"]


@frozen(kw_only=True)
class PruningSettings:
    """How much is pruned.

    Attributes
    ----------
    pruning : whether a first-order model prunes; None: in second-order models
    length_bounds : whether arcs longer than any seen in training for their (fine) tags are pruned; where there are many
        tags and little data this costs more gold arcs than the model does
    threshold : a head is kept if its probability is at least this share of that of the word's best head
    max_heads : at most this many heads for each word
    folds : training sentences are pruned by models that have not seen them, this many; 1: by the one that has
    pruner_epochs : of training the pruning model
    """

    pruning: bool | None = setting(
        default=None, validator=optional(instance_of(bool)), help="Prune arcs by a first-order model; for order 2."
    )
    length_bounds: bool = setting(
        default=False, validator=instance_of(bool), help="Also prune arcs longer than any seen for their tags."
    )
    threshold: float = setting(
        default=1e-4,
        converter=plain,
        validator=number(above=0, most=1),
        help="Heads below this share of a word's best are pruned.",
    )
    max_heads: int = setting(default=10, converter=plain, validator=whole(1), help="Heads of a word left at most.")
    folds: int = setting(default=4, converter=plain, validator=whole(1), help="Jackknife folds of the pruner.")
    pruner_epochs: int = setting(default=1, converter=plain, validator=whole(1), help="Epochs of training the pruner.")


@frozen(eq=False)
class Pruner:
    """Length bounds and a first-order model; either may be missing."""

    settings: PruningSettings = field()
    bounds: LengthBounds | None = field(default=None, repr=False)
    model: "DependencyModel | None" = field(default=None, repr=False)

    def candidates(self, sentence: Sentence, encoded: EncodedSentence | None = None) -> Parts:
        """Return the arcs that are left; `encoded` is the sentence by the model's vocabulary, if it is there."""
        n = len(sentence)
        allowed = self.bounds.allowed(sentence) if self.bounds is not None else np.ones((n + 1, n + 1), dtype=np.bool_)
        places = np.arange(n)
        allowed[places, places + 1] = True
        parts = Parts.of_mask(allowed)
        if self.model is None:
            return parts
        instance = self.model.of(sentence, parts, encoded=encoded)
        beliefs = self.model.run(instance).beliefs
        kept = _likely(parts.matrix(beliefs[1::2], 0.0), self.settings)
        kept[places, places + 1] = True
        return Parts.of_mask(kept & allowed)


def _likely(matrix: Floats, settings: PruningSettings) -> NDArray[np.bool_]:
    """Return the heads of each word (columns) that are probable enough, and among the most probable."""
    best = matrix.max(axis=0)
    kept = (matrix >= settings.threshold * best) & (matrix > 0)
    if settings.max_heads < len(matrix):
        least = np.partition(matrix, -settings.max_heads, axis=0)[-settings.max_heads]
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
        right += int(parts.indicator(sentence.heads).sum())
        words += len(sentence)
        arcs += len(parts)
    return 100.0 * right / max(words, 1), arcs / max(words, 1)

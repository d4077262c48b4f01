"""Scores of arcs and pairs of arcs: features times weights, and gradients the other way."""

from typing import Literal

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from nlp.conll import Sentence
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from nlp.features import FeatureHasher, GradientBuffer, SentenceFeatures, TemplateSet, Vocabulary

__all__ = ["PreparedSentence", "Scorer"]

Floats = NDArray[np.float64]
Kind = Literal["arc", "grandparent", "sibling"]


@frozen(eq=False)
class PreparedSentence:
    """The features of a sentence, one set for each kind of part, ready for any candidate arcs."""

    features: dict[str, SentenceFeatures] = field(repr=False)
    n: int = field()


@frozen(eq=False)
class Scorer:
    """Templates and a vocabulary: what turns a sentence into features of its parts.

    Attributes
    ----------
    hashers : by kind of part: "arc", and "grandparent" and "sibling" in a second-order model
    """

    vocabulary: Vocabulary = field(repr=False)
    hashers: dict[str, FeatureHasher] = field(repr=False)

    @classmethod
    def of(cls, vocabulary: Vocabulary, templates: dict[str, TemplateSet], bits: int, kinds: list[str]) -> "Scorer":
        """Compile the templates of some kinds, without those that need a column which the data lacks."""
        hashers = {kind: FeatureHasher(templates[kind].without(vocabulary.absent), bits) for kind in kinds}
        return cls(vocabulary, hashers)

    @classmethod
    def of_pruner(cls, vocabulary: Vocabulary, templates: dict[str, TemplateSet], bits: int) -> "Scorer":
        """Compile the templates of the pruning model, which scores arcs."""
        return cls.of(vocabulary, {"arc": templates["pruner"]}, bits, ["arc"])

    @property
    def slots(self) -> int:
        """The number of weights."""
        return self.hashers["arc"].slots

    def prepare(self, sentence: Sentence) -> PreparedSentence:
        """Turn a sentence into integers, and hash what each word adds to each template."""
        encoded = self.vocabulary.encode(sentence)
        features = {kind: hasher.prepare(encoded) for kind, hasher in self.hashers.items()}
        return PreparedSentence(features, len(sentence))

    def arc_scores(self, prepared: PreparedSentence, parts: Parts, weights: Floats) -> Floats:
        """Return (arcs,)."""
        return prepared.features["arc"].score(weights, parts.heads, parts.modifiers)

    def pair_scores(self, prepared: PreparedSentence, parts: Parts, settings: ModelSettings, weights: Floats) -> Floats:
        """Return (pairs,): grandparents, then siblings."""
        found = [np.zeros(0)]
        for kind, positions in _positions(parts, settings):
            found.append(prepared.features[kind].score(weights, *positions))
        return np.concatenate(found)

    def accumulate(
        self,
        prepared: PreparedSentence,
        parts: Parts,
        settings: ModelSettings,
        arcs: Floats,
        pairs: Floats,
        buffer: GradientBuffer,
        *,
        smallest: float = 0.0,
    ) -> None:
        """Add the gradient in the weights to a buffer, given the adjoints of the scores."""
        prepared.features["arc"].accumulate(arcs, buffer, parts.heads, parts.modifiers, smallest=smallest)
        first = 0
        for kind, positions in _positions(parts, settings):
            last = first + len(positions[0])
            prepared.features[kind].accumulate(pairs[first:last], buffer, *positions, smallest=smallest)
            first = last


def _positions(parts: Parts, settings: ModelSettings) -> list[tuple[str, tuple[NDArray[np.int64], ...]]]:
    """Return the positions of the words of each pair, kind by kind, in the order of `inference.pairs_of`."""
    found: list[tuple[str, tuple[NDArray[np.int64], ...]]] = []
    if settings.order == 2 and settings.grandparents:
        above, arc = parts.grandparents.T
        found.append(("grandparent", (parts.heads[above], parts.heads[arc], parts.modifiers[arc])))
    if settings.order == 2 and settings.siblings:
        one, other = parts.siblings.T
        found.append(("sibling", (parts.heads[one], parts.modifiers[one], parts.modifiers[other])))
    return found

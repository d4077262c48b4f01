"""Scores of parts: features times weights, and gradients the other way."""

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff.optimizers import GradientBuffer
from nlp.conll import Sentence
from nlp.deps.graphs import Scores
from nlp.deps.kinds import PartKind, kinds_of
from nlp.deps.parts import Parts
from nlp.deps.settings import ModelSettings
from nlp.features import EncodedSentence, FeatureHasher, SentenceFeatures, TemplateSet, Vocabulary

__all__ = ["PreparedSentence", "Scorer"]

Floats = NDArray[np.float64]

PreparedSentence = dict[str, SentenceFeatures]
"""The features of a sentence by kind of parts, ready for any candidate arcs."""


@frozen(eq=False)
class Scorer:
    """Templates and a vocabulary: what turns a sentence into features of its parts."""

    vocabulary: Vocabulary = field(repr=False)
    kinds: list[PartKind] = field()
    hashers: dict[str, FeatureHasher] = field(repr=False)

    @classmethod
    def of(
        cls, vocabulary: Vocabulary, templates: dict[str, TemplateSet], bits: int, settings: ModelSettings
    ) -> "Scorer":
        """Compile the templates of the kinds of a model, without those that need a column which the data lacks."""
        kinds = kinds_of(settings)
        hashers = {kind.name: FeatureHasher(templates[kind.name].without(vocabulary.absent), bits) for kind in kinds}
        return cls(vocabulary, kinds, hashers)

    @classmethod
    def of_pruner(cls, vocabulary: Vocabulary, templates: dict[str, TemplateSet], bits: int) -> "Scorer":
        """Compile the templates of the pruning model, which scores arcs."""
        return cls.of(vocabulary, {"arc": templates["pruner"]}, bits, ModelSettings(order=1))

    @property
    def slots(self) -> int:
        """The number of weights."""
        return self.hashers["arc"].slots

    def encode(
        self, sentence: Sentence, *, forgetting: float = 0.0, rng: np.random.Generator | None = None
    ) -> EncodedSentence:
        """Turn a sentence into integers.

        With `forgetting` and `rng`, some of its words are made unknown: see `Vocabulary.forget_words`.
        """
        encoded = self.vocabulary.encode(sentence)
        if forgetting > 0 and rng is not None:
            self.vocabulary.forget_words(encoded, forgetting, rng)
        return encoded

    def prepare(self, sentence: Sentence | EncodedSentence) -> PreparedSentence:
        """Hash what each word of a sentence adds to each template."""
        encoded = sentence if isinstance(sentence, EncodedSentence) else self.encode(sentence)
        return {kind: hasher.prepare(encoded) for kind, hasher in self.hashers.items()}

    def scores(self, prepared: PreparedSentence, parts: Parts, weights: NDArray[np.floating]) -> Scores:
        """Return the scores of all parts."""
        return {kind.name: prepared[kind.name].score(weights, *kind.positions(parts)) for kind in self.kinds}

    def accumulate(
        self,
        prepared: PreparedSentence,
        parts: Parts,
        adjoints: Scores,
        buffer: GradientBuffer,
        *,
        smallest: float = 0.0,
    ) -> None:
        """Add the gradient in the weights to a buffer, given the adjoints of the scores.

        Parts whose adjoint is up to `smallest` are passed over.
        """
        for kind in self.kinds:
            prepared[kind.name].accumulate(
                adjoints[kind.name], buffer, *kind.positions(parts), smallest=smallest
            )  # fmt: skip

"""Scores of parts by hashed features of a sentence: a `Scorer` whose loops are compiled."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from autodiff import HashedParameter, Parameter
from nlp.conll import Sentence
from nlp.deps.instance import DependencyInstance
from nlp.deps.kinds import PartKind
from nlp.features import EncodedSentence, FeatureHasher, LabelHasher, TemplateSet, Vocabulary
from pgm.learning import Gradients, Instance, Scorer, Scores
from pgm.learning.scorer import Rows, ScoresBackward

__all__ = ["HashedScorer"]

Floats = NDArray[np.float64]

_NEGLIGIBLE = 1e-7
"""Parts whose adjoint is smaller leave no trace in the weights, and most parts of a trained model are such."""


@frozen(eq=False)
class HashedScorer(Scorer):
    """Templates, a vocabulary, and hashed weights: one vector for all kinds of parts, and one for relations.

    Attributes
    ----------
    kinds : of the parts that are scored
    hashers : of the features of each kind
    weights : of them
    label_hasher, label_weights : of the relations of arcs; None for models without
    word_dropout : in training, words are made unknown at random: see `Vocabulary.drop_words`
    """

    vocabulary: Vocabulary = field(repr=False)
    kinds: Sequence[PartKind] = field()
    hashers: Mapping[str, FeatureHasher] = field(repr=False)
    weights: Parameter = field(repr=False)
    label_hasher: LabelHasher | None = field(default=None, repr=False)
    label_weights: Parameter | None = field(default=None, repr=False)
    word_dropout: float = field(default=0.0)

    @classmethod
    def of(
        cls,
        vocabulary: Vocabulary,
        kinds: Sequence[PartKind],
        templates: Mapping[str, TemplateSet],
        *,
        bits: int,
        relations: int = 1,
        word_dropout: float = 0.0,
    ) -> "HashedScorer":
        """Compile the templates of each kind, without those that need a column which the data lacks; weights are 0."""
        hashers = {kind.name: FeatureHasher(templates[kind.name].without(vocabulary.absent), bits) for kind in kinds}
        labels = None
        if relations > 1:
            labels = LabelHasher(templates["relation"].without(vocabulary.absent), bits=bits, labels=relations)
        return cls(
            vocabulary, kinds, hashers, HashedParameter("weights", 1 << bits), labels,
            None if labels is None else HashedParameter("relations", labels.slots), word_dropout,
        )  # fmt: skip

    def parameters(self, instances: Iterable[Instance] = ()) -> dict[str, Parameter]:
        """Return the weights."""
        found = {"weights": self.weights}
        return found if self.label_weights is None else found | {"relations": self.label_weights}

    def reads(self, instance: Instance) -> Rows:
        """Say that nothing has to be caught up: shrinkage is so slow that weights are read as last written."""
        return {}

    def encode(self, sentence: Sentence) -> EncodedSentence:
        """Turn a sentence into integers."""
        return self.vocabulary.encode(sentence)

    def score(self, instance: Instance, *, rng: np.random.Generator | None = None) -> tuple[Scores, ScoresBackward]:
        """Return the scores of all parts."""
        assert isinstance(instance, DependencyInstance)
        encoded, parts, relations = instance.encoded, instance.parts, instance.relations
        if rng is not None and self.word_dropout > 0:
            encoded = self.vocabulary.drop_words(encoded, self.word_dropout, rng)
        weights = self.weights.read()
        features = {kind.name: self.hashers[kind.name].prepare(encoded) for kind in self.kinds}
        scores: Scores = {kind.name: features[kind.name].score(weights, *kind.positions(parts)) for kind in self.kinds}
        labelled = None
        if relations is not None:
            assert self.label_hasher is not None
            assert self.label_weights is not None
            labelled = self.label_hasher.prepare(encoded)
            scores["relation"] = labelled.score(
                self.label_weights.read(), relations.starts, relations.labels, parts.heads, parts.modifiers
            )

        def backward(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            for kind in self.kinds if gradients.wants("weights") else ():
                if kind.name in adjoints:
                    features[kind.name].accumulate(
                        adjoints[kind.name], gradients.buffer("weights"), *kind.positions(parts), smallest=_NEGLIGIBLE
                    )
            if labelled is None or relations is None or not gradients.wants("relations"):
                return
            if "relation" in adjoints:
                labelled.accumulate(
                    adjoints["relation"], gradients.buffer("relations"), relations.starts, relations.labels,
                    parts.heads, parts.modifiers, smallest=_NEGLIGIBLE,
                )  # fmt: skip

        return scores, backward

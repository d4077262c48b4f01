"""Scores of parts by hashed features of a sentence: a scorer whose loops are compiled."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from autodiff import HashedParameter, Parameter
from autodiff.array_types import Floats
from nlp.deps.dependency_scorer import DependencyScorer
from nlp.deps.instance import DependencyInstance
from nlp.deps.kinds import LabelledKind, PartKind, Relations
from nlp.deps.relation_sums import RelationSums
from nlp.features import EncodedSentence, FeatureHasher, LabelHasher, TemplateSet, Vocabulary
from pgm.learning import Gradients, Instance, Scores
from pgm.learning.scorer import Rows, ScoresBackward

__all__ = ["HashedScorer"]


_NEGLIGIBLE = 1e-7
"""Parts whose adjoint is smaller leave no trace in the weights, and most parts of a trained model are such."""


@frozen(eq=False)
class HashedScorer(DependencyScorer):
    """Templates, a vocabulary, and hashed weights: one vector for all kinds of parts, and one for those with relations.

    Attributes
    ----------
    kinds : of the parts that are scored
    hashers : of the features of each kind
    weights : of them
    labelled_kinds : of parts with relations, relations of arcs first; none if there is but one relation
    label_hashers : of the features of each of these
    label_weights : of them; None if there are none
    word_dropout : in training, words are made unknown at random: see `Vocabulary.drop_words`
    """

    vocabulary: Vocabulary = field(repr=False)
    kinds: Sequence[PartKind] = field()
    hashers: Mapping[str, FeatureHasher] = field(repr=False)
    weights: Parameter = field(repr=False)
    labelled_kinds: Sequence[LabelledKind] = field(default=())
    label_hashers: Mapping[str, LabelHasher] = field(factory=dict, repr=False)
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
        labelled_kinds: Sequence[LabelledKind] = (),
        word_dropout: float = 0.0,
    ) -> "HashedScorer":
        """Compile the templates of each kind, without those that need a column which the data lacks; weights are 0.

        Parameters
        ----------
        relations : how many there are; a single one has no scores
        labelled_kinds : of parts with relations, besides relations of arcs
        """

        def known(name: str) -> TemplateSet:
            return templates[name].without(vocabulary.absent)

        labelled = (Relations(), *labelled_kinds) if relations > 1 else ()
        hashers = {kind.name: FeatureHasher(known(kind.name), bits) for kind in kinds}
        label_hashers = {
            kind.name: LabelHasher(known(kind.name), bits=bits, labels=kind.label_count(relations)) for kind in labelled
        }
        label_weights = HashedParameter("relations", 1 << bits) if labelled else None
        return cls(
            vocabulary, kinds, hashers, HashedParameter("weights", 1 << bits), labelled, label_hashers, label_weights,
            word_dropout,
        )  # fmt: skip

    def parameters(self, instances: Iterable[Instance] = ()) -> dict[str, Parameter]:
        """Return the weights."""
        found = {"weights": self.weights}
        return found if self.label_weights is None else found | {"relations": self.label_weights}

    def reads(self, instance: Instance) -> Rows:
        """Say that nothing has to be caught up: shrinkage is so slow that weights are read as last written."""
        return {}

    def score(self, instance: Instance, *, rng: np.random.Generator | None = None) -> tuple[Scores, ScoresBackward]:
        """Return the scores of all parts."""
        assert isinstance(instance, DependencyInstance)
        encoded = instance.encoded
        if rng is not None and self.word_dropout > 0:
            encoded = self.vocabulary.drop_words(encoded, self.word_dropout, rng)
        scores, backward = self._score_parts(instance, encoded)
        if instance.relations is None:
            return scores, backward
        of_relations, backward_relations = self._score_relations(instance, instance.relations, encoded)

        def backward_both(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            backward(adjoints, gradients)
            backward_relations(adjoints, gradients)

        return scores | of_relations, backward_both

    def _score_parts(self, instance: DependencyInstance, encoded: EncodedSentence) -> tuple[Scores, ScoresBackward]:
        weights = self.weights.read()
        features = {kind.name: self.hashers[kind.name].prepare(encoded) for kind in self.kinds}
        positions = {kind.name: kind.positions(instance.parts) for kind in self.kinds}
        scores: Scores = {name: features[name].score(weights, *words) for name, words in positions.items()}

        def backward(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            if not gradients.wants("weights"):
                return
            buffer = gradients.buffer("weights")
            for name, words in positions.items():
                if name in adjoints:
                    features[name].accumulate(adjoints[name], buffer, *words, smallest=_NEGLIGIBLE)

        return scores, backward

    def _score_relations(
        self, instance: DependencyInstance, relations: RelationSums, encoded: EncodedSentence
    ) -> tuple[Scores, ScoresBackward]:
        if self.label_weights is None:
            return {"relation": np.zeros(len(relations))}, _nothing
        weights = self.label_weights.read()
        features = {kind.name: self.label_hashers[kind.name].prepare(encoded) for kind in self.labelled_kinds}
        places = {
            kind.name: (*kind.labels(instance.parts, relations), *kind.positions(instance.parts, relations))
            for kind in self.labelled_kinds
        }
        scores: Scores = {name: features[name].score(weights, *own) for name, own in places.items()}

        def backward(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
            if not gradients.wants("relations"):
                return
            buffer = gradients.buffer("relations")
            for name, own in places.items():
                if name in adjoints:
                    features[name].accumulate(adjoints[name], buffer, *own, smallest=_NEGLIGIBLE)

        return scores, backward


def _nothing(adjoints: Mapping[Any, Floats], gradients: Gradients) -> None:
    """Go back from the scores of a single relation, which are constant."""

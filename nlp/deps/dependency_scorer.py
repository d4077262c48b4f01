"""The contract of a scorer of dependency models: what a parser asks of it beside scores."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from autodiff import Parameter
from nlp.conll import Sentence
from nlp.deps.kinds import LabelledKind
from nlp.features import EncodedSentence, Vocabulary
from pgm.learning import Instance, Scorer

__all__ = ["DependencyScorer"]


class DependencyScorer(Scorer):
    """Scores the parts of sentences, by kind: `score(instance)` returns an array for each kind of the model.

    A parser with one of your own is a subclass of `DependencyParser` whose `make_scorer` returns it.

    Attributes
    ----------
    vocabulary : of the training data; it goes into the model file
    labelled_kinds : of parts with relations that are scored, relations of arcs first; none if there are no relations,
        or but one
    """

    vocabulary: Vocabulary
    labelled_kinds: Sequence[LabelledKind] = ()

    @abstractmethod
    def parameters(self, instances: Iterable[Instance] = ()) -> dict[str, Parameter]:
        """Return the weights, by the names that they have in a model file."""

    def encode(self, sentence: Sentence) -> EncodedSentence:
        """Turn a sentence into integers."""
        return self.vocabulary.encode(sentence)

    def to_single_precision(self) -> None:
        """Make the weights what they are in a model file."""
        for parameter in self.parameters().values():
            parameter.value = parameter.read().astype(np.float32)

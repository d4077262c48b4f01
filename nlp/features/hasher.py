"""Hashed features of parts."""

from attrs import field, frozen

from nlp.features.arguments import as_bits
from nlp.features.blocks import TemplateBlock, compile_blocks
from nlp.features.encoded import EncodedSentence
from nlp.features.prepared import prepare_blocks
from nlp.features.sentence_features import SentenceFeatures
from nlp.features.templates import TemplateSet

__all__ = ["FeatureHasher"]


@frozen(eq=False)
class FeatureHasher:
    """Hashes the features of the parts of one kind into 2^bits slots, given a set of templates.

    Make it with `templates.without(vocabulary.absent)`, so that columns which say nothing make no features.

    Examples
    --------
    >>> import numpy as np
    >>> from nlp.conll import Sentence
    >>> from nlp.features import TemplateSet, Vocabulary
    >>> tree = Sentence.from_words(["Time", "flies"], tags=["NN", "VBZ"], heads=[2, 0])
    >>> vocabulary = Vocabulary.fit([tree], minimum_count=1)
    >>> hasher = FeatureHasher(TemplateSet.of("arc", ("h", "m"), "h.tag m.tag dir dist?"), bits=20)
    >>> features = hasher.prepare(vocabulary.encode(tree))
    >>> heads, modifiers = np.array([2, 0]), np.array([1, 2])
    >>> indices, offsets = features.extract(heads, modifiers)
    >>> offsets.tolist()                                     # two features of each arc
    [0, 2, 4]
    >>> weights = np.zeros(hasher.slots)
    >>> weights[indices[:2]] = [1.0, 0.5]
    >>> features.score(weights, heads, modifiers)
    array([1.5, 0. ])
    """

    templates: TemplateSet
    bits: int = field(default=22, converter=as_bits)
    blocks: list[TemplateBlock] = field(init=False, repr=False)

    @blocks.default
    def _make_blocks(self) -> list[TemplateBlock]:
        return compile_blocks(self.templates, self.bits)

    @property
    def slots(self) -> int:
        """The number of weights, 2^bits."""
        return 1 << self.bits

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the words of a part, in the order in which they are given."""
        return self.templates.roles

    def prepare(self, sentence: EncodedSentence) -> SentenceFeatures:
        """Hash what each word of a sentence adds to each template, for any number of calls."""
        return SentenceFeatures(self, sentence, prepare_blocks(self.blocks, sentence))

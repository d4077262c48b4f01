"""Hashed features of parts with labels, for instance arcs and their relations."""

from attrs import field, frozen

from autodiff.conversion import as_count
from nlp.features.arguments import as_bits
from nlp.features.blocks import TemplateBlock, compile_blocks
from nlp.features.encoded import EncodedSentence
from nlp.features.errors import FeatureError
from nlp.features.label_features import LabelFeatures
from nlp.features.layout import LINE, LINE_BITS
from nlp.features.prepared import prepare_blocks
from nlp.features.templates import TemplateSet

__all__ = ["LabelHasher"]

_HASH_BITS = 32  # of a feature without a label


def _as_bits(value: int) -> int:
    return as_bits(value, least=LINE_BITS + 1)


def _as_labels(value: int) -> int:
    return as_count(value, "labels", FeatureError, least=1)


@frozen(eq=False)
class LabelHasher:
    """Hashes the features of parts, conjoined with labels, into 2^bits slots, given a set of templates.

    A feature's weights for labels 0 to 15 lie next to each other, so do those for labels 16 to 31, and so on: number
    labels such that frequent ones come first.

    Parameters
    ----------
    templates : of parts without labels
    bits : from 5 to 31
    labels : how many there are

    Examples
    --------
    >>> import numpy as np
    >>> from nlp.conll import Sentence
    >>> from nlp.features import TemplateSet, Vocabulary
    >>> tree = Sentence.from_words(["Time", "flies"], tags=["NN", "VBZ"], heads=[2, 0])
    >>> vocabulary = Vocabulary.fit([tree], minimum_count=1)
    >>> templates = TemplateSet.of("relation", ("h", "m"), "h.tag m.tag dir\\nm.form")
    >>> hasher = LabelHasher(templates, bits=20, labels=40)
    >>> features = hasher.prepare(vocabulary.encode(tree))
    >>> heads, modifiers = [2, 0], [1, 2]
    >>> starts, labels = [0, 2, 3], [0, 17, 5]        # labels 0 and 17 for the arc 2 → 1, label 5 for 0 → 2
    >>> indices, offsets = features.extract(starts, labels, heads, modifiers)
    >>> offsets.tolist()                             # two features of each arc with each of its labels
    [0, 2, 4, 6]
    >>> weights = np.zeros(hasher.slots, dtype=np.float32)
    >>> weights[indices[:2]] = [1.0, 0.5]
    >>> features.score(weights, starts, labels, heads, modifiers)
    array([1.5, 0. , 0. ])
    """

    templates: TemplateSet
    bits: int = field(default=22, converter=_as_bits)
    labels: int = field(default=1, converter=_as_labels)
    blocks: list[TemplateBlock] = field(init=False, repr=False)

    @blocks.default
    def _make_blocks(self) -> list[TemplateBlock]:
        return compile_blocks(self.templates, _HASH_BITS)

    @property
    def slots(self) -> int:
        """The number of weights, 2^bits."""
        return 1 << self.bits

    @property
    def lines(self) -> int:
        """The number of lines of neighbouring weights."""
        return self.slots // LINE

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the words of a part, in the order in which they are given."""
        return self.templates.roles

    def prepare(self, sentence: EncodedSentence) -> LabelFeatures:
        """Hash what each word of a sentence adds to each template, for any number of calls."""
        return LabelFeatures(self, sentence, prepare_blocks(self.blocks, sentence))

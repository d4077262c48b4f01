"""Hashed features of arcs and pairs of arcs."""

import numpy as np
from attrs import field, frozen

from nlp.features import kernels
from nlp.features.atoms import KINDS
from nlp.features.blocks import Block, compile_blocks
from nlp.features.encoded import EncodedSentence
from nlp.features.errors import FeatureError
from nlp.features.layout import WordTables
from nlp.features.sentence_features import SentenceFeatures
from nlp.features.templates import TemplateSet

__all__ = ["FeatureHasher"]

_MOST_BITS = 31


def _as_bits(value: int) -> int:
    if not (isinstance(value, int | np.integer) and 1 <= value <= _MOST_BITS):
        raise FeatureError(f"bits is {value!r}, but must be a whole number from 1 to {_MOST_BITS}")
    return int(value)


@frozen(eq=False)
class FeatureHasher:
    """Hashes the features of the parts of one kind into 2^bits slots, given a set of templates.

    Make it with `templates.without(vocabulary.absent)`, so that columns which say nothing make no features.

    Examples
    --------
    >>> from nlp.conll import Sentence
    >>> from nlp.features import Vocabulary, parse_templates
    >>> tree = Sentence.from_words(["Time", "flies"], tags=["NN", "VBZ"], heads=[2, 0])
    >>> vocabulary = Vocabulary.fit([tree], minimum_count=1)
    >>> hasher = FeatureHasher(parse_templates("h.tag m.tag dir dist?")["arc"], bits=20)
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
    bits: int = field(default=22, converter=_as_bits)
    blocks: list[Block] = field(init=False, repr=False)

    @blocks.default
    def _make_blocks(self) -> list[Block]:
        return compile_blocks(self.templates, self.bits)

    @property
    def slots(self) -> int:
        """The number of weights, 2^bits."""
        return 1 << self.bits

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the words of a part, in the order in which they are given."""
        return KINDS[self.templates.kind]

    def prepare(self, sentence: EncodedSentence) -> SentenceFeatures:
        """Hash what each word of a sentence adds to each template, for any number of calls."""
        return SentenceFeatures(self, sentence, [_prepare(block, sentence) for block in self.blocks])


def _prepare(block: Block, sentence: EncodedSentence) -> tuple[Block, WordTables, int]:
    tables = block.tables
    templates, size, morphs = len(tables.keys), len(sentence) + 1, len(sentence.morph)
    rows = max(size, morphs) if block.uses_sets else 0
    words = np.empty(tables.roles * size * templates, dtype=np.uint64)
    sets = np.zeros((tables.roles + 2) * rows * (templates - tables.plain), dtype=np.uint64)
    kernels.words.fill(tables, sentence.attributes, sentence.morph, rows, words, sets)
    lists = np.arange(morphs, dtype=np.int32) if block.uses_sets else _NOTHING
    distinct, most = _NOTHING, 0
    if block.uses_between:
        between, distinct, most = sentence.between
        lists = np.concatenate([lists, between])
    prepared = WordTables(
        size, rows, morphs, words, sets, lists, sentence.morph_offsets, distinct, sentence.class_counts
    )  # fmt: skip
    return block, prepared, block.most_features(sentence.most_morphs, most)


_NOTHING = np.zeros(0, dtype=np.int32)

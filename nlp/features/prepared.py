"""What a sentence's words add to the features of every block of templates, computed once a sentence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlp.features import kernels
from nlp.features.blocks import TemplateBlock
from nlp.features.encoded import EncodedSentence
from nlp.features.layout import WordTables

__all__ = ["Positions", "PreparedBlock", "of_block", "prepare_blocks"]

Positions = list[NDArray[np.int64]]
# A block, its tables for one sentence, and the most features that a part can have there.
PreparedBlock = tuple[TemplateBlock, WordTables, int]

_NOTHING = np.zeros(0, dtype=np.int32)


def prepare_blocks(blocks: Sequence[TemplateBlock], sentence: EncodedSentence) -> list[PreparedBlock]:
    """Hash what each word of a sentence adds to each template of the blocks."""
    return [_prepare(block, sentence) for block in blocks]


def _prepare(block: TemplateBlock, sentence: EncodedSentence) -> PreparedBlock:
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


def of_block(block: TemplateBlock, positions: Positions) -> Positions:
    """Return the positions of the three roles of a block (the third is not read if there are but two)."""
    chosen = [positions[role] for role in block.roles]
    return chosen if len(chosen) == 3 else [*chosen, chosen[0]]

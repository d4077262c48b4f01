"""Classes of words, found in a treebank and not by the names of its tags.

- punctuation: the tags nine tenths of whose words are Unicode punctuation;
- predicate: the coarse tag that most roots of sentences have;
- conjunction: the tag whose two neighbours have the same coarse tag most often, above chance (`cats and dogs`), among
  tags of at least one word in a hundred that are not punctuation.

On treebanks of seven languages these find the verbs and the coordinating conjunctions.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from nlp.features.protocol import TaggedSentence

__all__ = ["is_punctuation", "word_classes"]

_PUNCTUATION_SHARE = 0.9
_LEAST_SHARE = 0.01
_SHORTEST = 5  # in shorter sentences anything can be the root


def is_punctuation(form: str) -> bool:
    """Tell whether all characters are Unicode punctuation (the rule of CoNLL-X).

    >>> [is_punctuation(form) for form in ("...", "«", "a.", "$")]
    [True, True, False, False]
    """
    return all(unicodedata.category(character)[0] == "P" for character in form)


def word_classes(sentences: Sequence[TaggedSentence]) -> dict[str, tuple[str, frozenset[str]]]:
    """Return for each class of words the column, "tag" or "coarse", and which of its values are in the class.

    Examples
    --------
    >>> from nlp.conll import Sentence
    >>> words = "cats and dogs eat , drink and sleep .".split()
    >>> tags = ["N", "C", "N", "V", "P", "V", "C", "V", "P"]
    >>> tree = Sentence.from_words(words, tags=tags, heads=[4, 3, 1, 0, 6, 4, 8, 4, 4])
    >>> {name: sorted(members) for name, (_, members) in word_classes([tree]).items()}
    {'punctuation': ['P'], 'predicate': ['V'], 'conjunction': ['C']}
    """
    words: Counter[str] = Counter()
    marks: Counter[str] = Counter()
    roots: Counter[str] = Counter()
    for sentence in sentences:
        words.update(sentence.tags)
        marks.update(tag for tag, form in zip(sentence.tags, sentence.forms, strict=True) if is_punctuation(form))
        if len(sentence.forms) >= _SHORTEST:
            roots.update(coarse for coarse, head in zip(sentence.coarse_tags, sentence.heads, strict=True) if head == 0)
    punctuation = frozenset(tag for tag in words if marks[tag] >= _PUNCTUATION_SHARE * words[tag])
    predicate = frozenset([max(roots, key=lambda tag: (roots[tag], tag))] if roots else [])
    least = _LEAST_SHARE * words.total()
    candidates = {tag for tag in words if words[tag] >= least and tag not in punctuation}
    agreement = _agreement(sentences, candidates)
    best = max(agreement, key=lambda tag: (agreement[tag], tag), default=None)
    conjunction = frozenset([best] if best is not None and agreement[best] > 0 else [])
    return {
        "punctuation": ("tag", punctuation),
        "predicate": ("coarse", predicate),
        "conjunction": ("tag", conjunction),
    }


def _agreement(sentences: Sequence[TaggedSentence], candidates: set[str]) -> Mapping[str, float]:
    """Return how much more often than by chance the neighbours of each tag have the same coarse tag."""
    both: dict[str, Counter[tuple[str, str]]] = {tag: Counter() for tag in candidates}
    for sentence in sentences:
        coarse = sentence.coarse_tags
        for before, tag, after in zip(coarse, sentence.tags[1:], coarse[2:], strict=False):
            if tag in candidates:
                both[tag][before, after] += 1
    result = {}
    for tag, pairs in both.items():
        befores: Counter[str] = Counter()
        afters: Counter[str] = Counter()
        same = 0
        for (before, after), count in pairs.items():
            befores[before] += count
            afters[after] += count
            same += count if before == after else 0
        total = pairs.total()
        if total:
            result[tag] = (same - sum(count * afters[before] for before, count in befores.items()) / total) / total
    return result

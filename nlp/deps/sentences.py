"""What is asked of the sentences that a parser is given."""

import hashlib
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nlp.conll import Sentence, is_projective
from nlp.deps.errors import ParserError
from nlp.deps.settings import TreeSettings
from nlp.features import Vocabulary

__all__ = ["as_sentences", "fingerprint", "say_what_does_not_fit", "unfamiliar", "usable"]


def as_sentences(given: Any, what: str) -> list[Sentence]:
    """Return a list of sentences, or say what was given to the method `what` instead.

    >>> as_sentences("train.conllu", "fit")
    Traceback (most recent call last):
        ...
    nlp.deps.errors.ParserError: fit takes sentences, such as nlp.conll.read_all(file) returns, not str; ...
    """
    if isinstance(given, Sentence | str | os.PathLike):
        raise ParserError(
            f"{what} takes sentences, such as nlp.conll.read_all(file) returns, not {type(given).__name__}; "
            f"for a single one, give a list of one"
        )
    chosen = list(given)
    wrong = [s for s in chosen if not isinstance(s, Sentence)]
    if wrong:
        raise ParserError(f"{what} takes nlp.conll.Sentence objects, not {type(wrong[0]).__name__}")
    return chosen


def usable(sentences: list[Sentence], say: Callable[[str], None]) -> list[Sentence]:
    """Return the sentences that one can learn from, those with words; all must have trees."""
    if not sentences:
        raise ParserError("there are no training sentences")
    missing = [s for s in sentences if (np.asarray(s.heads) < 0).any()]
    if missing:
        place = f"{missing[0].source}:{missing[0].line}: " if missing[0].source else ""
        raise ParserError(f"{place}a training sentence has a word without a head; training needs all heads")
    kept = [s for s in sentences if len(s)]
    for sentence in kept:
        try:
            is_projective(sentence.heads)
        except ValueError as error:
            place = f"{sentence.source}:{sentence.line}: " if sentence.source else ""
            raise ParserError(f"{place}the heads of a training sentence are no tree: {error}") from None
    if not kept:
        raise ParserError("no training sentence has a word")
    if all(tag == "_" for s in kept for tag in s.tags):
        say("no tags in the training data: features of tags are left out")
    return kept


def say_what_does_not_fit(model: TreeSettings, sentences: Sequence[Sentence], say: Callable[[str], None]) -> None:
    """Say how many training trees a model cannot have."""
    crossing = sum(not is_projective(s.heads) for s in sentences) if model.tree == "projective" else 0
    if crossing:
        say(f"{crossing} of {len(sentences)} training trees are not projective, and the model's are; see --tree")
    rooted = sum(int((s.heads == 0).sum()) > 1 for s in sentences) if model.roots == "one" else 0
    if rooted:
        say(f"{rooted} of {len(sentences)} training trees have several roots, and the model's have one; see --roots")


def fingerprint(sentences: Sequence[Sentence]) -> str:
    """Return a hash of all that is in the sentences.

    >>> fingerprint([]) == fingerprint([Sentence.from_words(["a"])])
    False
    """
    total = hashlib.sha256()
    for sentence in sentences:
        total.update(sentence.text.encode(errors="surrogatepass"))
    return total.hexdigest()


def unfamiliar(vocabulary: Vocabulary, sentences: Sequence[Sentence]) -> str | None:
    """Return a warning if sentences lack tags, or most of their tags are not those of the training data; or None.

    >>> tree = Sentence.from_words(["Time", "flies"], tags=["NN", "VBZ"], heads=[2, 0])
    >>> unfamiliar(Vocabulary.fit([tree]), [tree, Sentence.from_words(["Go"])])
    '1 of 2 sentences have words without tags (1 of 3 words), and the model has learnt from ...'
    """
    known = set(vocabulary.tables["tag"])
    if "tag" in vocabulary.absent:
        return None
    tags = [tag for sentence in sentences for tag in sentence.tags]
    bare = 0 if "_" in known else tags.count("_")
    if bare:
        some = sum("_" in sentence.tags for sentence in sentences)
        return (
            f"{some} of {len(sentences)} sentences have words without tags ({bare} of {len(tags)} words), and the "
            f"model has learnt from tags: expect bad parses, or tag them first"
        )
    unknown = sum(tag not in known for tag in tags)
    if 2 * unknown <= len(tags):
        return None
    shown = ", ".join(sorted({tag for tag in tags if tag not in known})[:3])
    return f"{100 * unknown / len(tags):.0f} % of the tags ({shown}, …) are unknown to the model: expect bad parses"

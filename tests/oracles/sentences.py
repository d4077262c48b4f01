"""Sentences of an invented language, whose trees can be learnt: tags say who depends on whom, most of the time."""

import numpy as np

from nlp.conll import Sentence

__all__ = ["invented_sentences"]

_WORDS = {
    "N": ["duck", "goat", "pond", "cloud", "kettle", "tree"],
    "V": ["sees", "eats", "finds", "likes"],
    "D": ["a", "the", "every"],
    "A": ["green", "old", "loud"],
    "P": ["with", "near", "under"],
}


def invented_sentences(count: int, seed: int = 0) -> list[Sentence]:
    """Return sentences such as "the old duck sees a pond near every tree", with their trees."""
    rng = np.random.default_rng(seed)
    return [_sentence(rng) for _ in range(count)]


def _sentence(rng: np.random.Generator) -> Sentence:
    forms: list[str] = []
    tags: list[str] = []
    heads: list[int] = []

    def word(tag: str) -> int:
        forms.append(str(rng.choice(_WORDS[tag])))
        tags.append(tag)
        heads.append(-1)
        return len(forms)

    def phrase(depth: int) -> int:
        """Add a noun with what belongs to it; return its place."""
        before = [word("D")] if rng.random() < 0.8 else []
        before += [word("A") for _ in range(rng.integers(0, 2))]
        noun = word("N")
        for place in before:
            heads[place - 1] = noun
        if depth > 0 and rng.random() < 0.4:
            preposition = word("P")
            heads[preposition - 1] = noun
            heads[phrase(depth - 1) - 1] = preposition
        return noun

    subject = phrase(1)
    verb = word("V")
    heads[verb - 1] = 0
    heads[subject - 1] = verb
    if rng.random() < 0.8:
        heads[phrase(2) - 1] = verb
    return Sentence.from_words(forms, tags=tags, heads=heads)

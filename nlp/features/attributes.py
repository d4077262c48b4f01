"""The attributes of a word that templates can ask for.

`form`, `lemma`, `tag` and `coarse` are columns of a treebank; `morph` is the set of morphological features; the others
come from the form, so that they work for words that were never seen.
"""

from collections.abc import Callable, Mapping

__all__ = ["ATTRIBUTES", "CLASSES", "FORM_ATTRIBUTES", "frequency_class", "shape"]

# Classes of words that are counted between two words of a part: see `word_classes`.
CLASSES = ("punctuation", "predicate", "conjunction")


def shape(form: str) -> str:
    """Return the form with its capitals as X, other letters as x, digits as d, and runs shortened.

    >>> [shape(form) for form in ("flies", "IBM", "McDonald", "B-52s", "...")]
    ['x', 'X', 'XxXx', 'X-dx', '.']
    """
    kept: list[str] = []
    for character in form:
        if character.isalpha():
            mark = "X" if character.isupper() else "x"
        else:
            mark = "d" if character.isdigit() else character
        if not kept or kept[-1] != mark:
            kept.append(mark)
    return "".join(kept[:8])


def frequency_class(count: int) -> str:
    """Return the number of bits of a count, at most 9: how frequent a word is, roughly.

    >>> [frequency_class(count) for count in (0, 1, 5, 1000)]
    ['0', '1', '3', '9']
    """
    return str(min(int(count).bit_length(), 9))


FORM_ATTRIBUTES: Mapping[str, Callable[[str], str]] = {
    "form": str,
    "lower": str.lower,
    "prefix2": lambda form: form[:2].lower(),
    "prefix3": lambda form: form[:3].lower(),
    "suffix2": lambda form: form[-2:].lower(),
    "suffix3": lambda form: form[-3:].lower(),
    "shape": shape,
}
# The columns of an encoded sentence, in this order.
ATTRIBUTES = (*FORM_ATTRIBUTES, "frequency", "lemma", "tag", "coarse")

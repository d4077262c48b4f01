"""The relations of Universal Dependencies (de Marneffe et al. 2021), and those of content words.

CLAS (Nivre & Fang 2017; CoNLL 2018 shared task) leaves out function words and punctuation, of which languages have more
or fewer.
"""

from collections.abc import Iterable

__all__ = ["are_universal", "is_content", "without_subtype"]

_FUNCTIONAL = {"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"}
_CONTENT = {
    "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep", "discourse", "dislocated",
    "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis",
    "reparandum", "root", "vocative", "xcomp",
}  # fmt: skip


def without_subtype(relation: str) -> str:
    """Return the part before a colon.

    >>> without_subtype("nsubj:pass")
    'nsubj'
    """
    return relation.partition(":")[0]


def is_content(relation: str) -> bool:
    """Return whether the dependent is a content word.

    >>> [is_content(relation) for relation in ("nsubj:pass", "aux:pass", "punct", "_")]
    [True, False, False, False]
    """
    return without_subtype(relation) in _CONTENT


def are_universal(relations: Iterable[str]) -> bool:
    """Return whether all of these are relations of Universal Dependencies.

    >>> are_universal(["root", "obl:tmod"]), are_universal(["ROOT", "SBJ"])
    (True, False)
    """
    return {without_subtype(relation) for relation in {*relations}} <= _CONTENT | _FUNCTIONAL

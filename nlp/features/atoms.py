"""Atoms: the questions about a part of a tree from which templates are put together.

A *part* is two or three words, and each has a role, which is a letter: for instance `h` head, `m` modifier, `g`
grandparent (the head of `h`), `s` sibling (another modifier of `h`).  Whoever parses templates says which there are,
and in which order.
"""

import re
from collections.abc import Sequence

from attrs import field, frozen

from nlp.features.attributes import ATTRIBUTES, CLASSES

__all__ = ["Atom", "as_roles", "parse_atom"]

_WORD = re.compile(r"(?P<role>[a-z])\.(?P<attribute>[a-z]+[0-9]?)(?P<offset>[+-][1-9][0-9]?)?")
_PAIR = re.compile(r"(?P<question>dir|dist)(?:\.(?P<first>[a-z])(?P<second>[a-z]))?")
_BETWEEN = re.compile(r"between\.(?P<attribute>[a-z]+)(?:\.(?P<first>[a-z])(?P<second>[a-z]))?")
_BETWEEN_SETS = ("tag", "coarse")


@frozen
class Atom:
    """One question about a part, with its `text` in a template.

    Attributes
    ----------
    question : "word" (an attribute of a word), "morph" (each of its morphological features), "between" (each distinct
        tag of the words between two others: h and m, unless it says which), "count" (of a class of words between two,
        binned), "dir", "dist", "shape", "side", "adjacent" or "bias"
    roles : of the words that it looks at
    attribute : of a word, or class of words
    offset : 1 for the word after, -1 for the word before, …
    """

    text: str = field(repr=str)
    question: str
    roles: tuple[str, ...] = ()
    attribute: str = ""
    offset: int = 0

    @property
    def is_set(self) -> bool:
        """Whether it has any number of answers, each of which makes a feature."""
        return self.question in ("morph", "between")

    @property
    def needs(self) -> str:
        """The attribute of words without which it asks nothing, or the empty string."""
        if self.question == "count":
            return "tag"
        return "morph" if self.question == "morph" else self.attribute


def as_roles(given: Sequence[str]) -> tuple[str, ...]:
    """Return the roles of the words of a part, in the order in which parts are given.

    >>> as_roles("hm")
    ('h', 'm')
    >>> as_roles(["head", "modifier"])
    Traceback (most recent call last):
    ValueError: the roles of a part are 'head', 'modifier'; expected two or three different letters from a to z
    """
    roles = tuple(given)
    letters = all(isinstance(role, str) and re.fullmatch("[a-z]", role) for role in roles)
    if not letters or len(roles) not in (2, 3) or len({*roles}) < len(roles):
        said = ", ".join(map(repr, roles)) or "none"
        raise ValueError(f"the roles of a part are {said}; expected two or three different letters from a to z")
    return roles


def parse_atom(text: str, roles: Sequence[str]) -> Atom:
    """Return the atom that `text` names in templates for parts whose words have these roles.

    Raises
    ------
    ValueError
        With what is wrong and what is possible.

    Examples
    --------
    >>> parse_atom("h.tag+1", ("h", "m"))
    Atom(text=h.tag+1, question='word', roles=('h',), attribute='tag', offset=1)
    >>> parse_atom("g.tag", ("h", "m"))
    Traceback (most recent call last):
        ...
    ValueError: atom 'g.tag': no word has the role 'g'; the roles of these parts are h, m
    """
    atom = _read(text)
    missing = [role for role in atom.roles if role not in roles]
    if missing:
        raise ValueError(
            f"atom {text!r}: no word has the role {missing[0]!r}; the roles of these parts are {', '.join(roles)}"
        )
    if len(atom.roles) == 3 and atom.roles != tuple(roles):
        raise ValueError(
            f"atom {text!r} is for parts of {', '.join(atom.roles)} in this order; the roles are {', '.join(roles)}"
        )
    return atom


def _read(text: str) -> Atom:
    fixed = _FIXED.get(text)
    if fixed is not None:
        return fixed
    if match := _PAIR.fullmatch(text):
        return Atom(text, match["question"], _two_roles(text, match))
    if (match := _BETWEEN.fullmatch(text)) and match["attribute"] in (*_BETWEEN_SETS, *CLASSES):
        question = "between" if match["attribute"] in _BETWEEN_SETS else "count"
        return Atom(text, question, _two_roles(text, match), match["attribute"])
    if match := _WORD.fullmatch(text):
        return _read_word(text, match["role"], match["attribute"], int(match["offset"] or 0))
    raise ValueError(
        f"atom {text!r} is unknown; expected role.attribute with an offset or without (h.tag, m.form-1), dir, dist, "
        f"dir.gm, dist.gm, between.tag, between.tag.gm, {', '.join(_FIXED)}"
    )


def _two_roles(text: str, match: re.Match[str]) -> tuple[str, str]:
    roles = (match["first"] or "h", match["second"] or "m")
    if roles[0] == roles[1]:
        raise ValueError(f"atom {text!r}: needs two different roles, as in 'dir.gm'")
    return roles


def _read_word(text: str, role: str, attribute: str, offset: int) -> Atom:
    if attribute == "morph":
        if offset:
            raise ValueError(f"atom {text!r}: morph takes no offset")
        return Atom(text, "morph", (role,), "morph")
    if attribute not in ATTRIBUTES:
        raise ValueError(
            f"atom {text!r}: words have no attribute {attribute!r}; expected one of {', '.join(ATTRIBUTES)}, morph"
        )
    return Atom(text, "word", (role,), attribute, offset)


_FIXED = {
    atom.text: atom
    for atom in (
        Atom("shape.gp", "shape", ("g", "h", "m")),
        Atom("side", "side", ("h", "m", "s")),
        Atom("adjacent", "adjacent", ("m", "s")),
        Atom("bias", "bias"),
    )
}

"""Compiles templates to the integer tables of `layout`."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from nlp.features.atoms import Atom
from nlp.features.attributes import ATTRIBUTES, CLASSES
from nlp.features.layout import (
    ADJACENT,
    COUNT,
    COUNT_BINS,
    DISTANCE_BINS,
    NO_SET,
    PAIR,
    SHAPE,
    SIDE,
    BlockTables,
)
from nlp.features.templates import Template, TemplateSet

__all__ = ["TemplateBlock", "atom_keys", "compile_blocks", "mix", "template_key"]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_BETWEEN = ("tag", "coarse")


@frozen(eq=False)
class TemplateBlock:
    """The templates that look at the same words: their `roles` (indices into those of the set), and `tables`."""

    roles: tuple[int, ...]
    templates: tuple[Template, ...]
    tables: BlockTables

    @cached_property
    def uses_sets(self) -> bool:
        """Whether any template has a set."""
        return bool(len(self.tables.groups))

    @cached_property
    def uses_between(self) -> bool:
        """Whether any of these is of tags between words."""
        return bool((self.tables.set_atoms[:, 0] >= self.tables.roles).any())

    def most_features(self, morphs: int, between: int) -> int:
        """Return how many features a part can have at most, given the greatest sizes of sets."""
        most = [morphs] * self.tables.roles + [between] * 2
        features = self.tables.plain
        for first, last, source, other in self._groups:
            features += (last - first) * most[source] * (1 if other < 0 else most[other])
        return features

    @cached_property
    def _groups(self) -> list[list[int]]:
        return self.tables.groups.tolist()


def mix(value: int) -> int:
    """Scatter 64 bits, as `kernels.hashing.mix` does.

    >>> hex(mix(1))
    '0x5692161d100b05e5'
    """
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def template_key(name: str, template: Template) -> int:
    """Return the 64 bits that stand for a template of the set `name`: always the same, on every machine."""
    return int.from_bytes(hashlib.blake2b(f"{name}\0{template.text}".encode(), digest_size=8).digest(), "little")


def atom_keys(name: str, template: Template) -> list[int]:
    """Return the 64 bits that stand for each of its atoms."""
    key = template_key(name, template)
    return [mix((key + (index + 1) * _GOLDEN) & _MASK) for index in range(len(template.atoms))]


def compile_blocks(templates: TemplateSet, bits: int) -> list[TemplateBlock]:
    """Return the blocks of a set: templates grouped by the words that they look at.

    >>> pairs = TemplateSet.of("pair", ("g", "h", "m"), "g.tag m.tag\\ng.tag h.tag m.tag\\nm.tag")
    >>> [(block.roles, len(block.templates)) for block in compile_blocks(pairs, 22)]
    [((0, 1, 2), 1), ((0, 2), 2)]
    """
    every = templates.roles
    grouped: dict[tuple[str, ...], list[Template]] = {}
    pairs = [pair for pair in combinations(every, 2)]
    used = [pair for pair in pairs if any(template.roles == set(pair) for template in templates)] or pairs
    for template in templates:
        # A template that looks at one word, or none, goes with any pair that has that word.
        candidates = [pair for pair in (*used, *pairs) if template.roles <= set(pair)]
        grouped.setdefault(candidates[0] if candidates else every, []).append(template)
    return [
        TemplateBlock(tuple(every.index(role) for role in roles), *_compile(templates.name, found, roles, bits))
        for roles, found in sorted(grouped.items(), key=lambda item: (-len(item[0]), item[0]))
    ]


def _compile(
    name: str, templates: Sequence[Template], roles: tuple[str, ...], bits: int
) -> tuple[tuple[Template, ...], BlockTables]:
    by_sets: dict[tuple[int, ...], list[Template]] = {}
    for template in templates:
        by_sets.setdefault(_signature(template, roles), []).append(template)
    ordered = [template for key in sorted(by_sets) for template in by_sets[key]]
    plain = len(by_sets.get((NO_SET, NO_SET), []))
    groups, first = [], 0
    for signature in sorted(by_sets):
        last = first + len(by_sets[signature])
        if signature[0] != NO_SET:
            groups.append([first, last, *signature])
        first = last
    word_atoms, word_keys, set_atoms, set_keys = [], [], [], []
    for index, template in enumerate(ordered):
        for atom, key in zip(template.atoms, atom_keys(name, template), strict=True):
            if atom.question == "word":
                column = ATTRIBUTES.index(atom.attribute)
                word_atoms.append([roles.index(atom.roles[0]), index, column, atom.offset])
                word_keys.append(key)
            elif atom.is_set:
                column = ATTRIBUTES.index(atom.attribute) if atom.question == "between" else 0
                set_atoms.append([_source(atom, roles), index - plain, column])
                set_keys.append(key)
    sources, answers = _answers(name, ordered, roles)
    tables = BlockTables(
        keys=np.array([template_key(name, template) for template in ordered], dtype=np.uint64),
        plain=plain,
        roles=len(roles),
        shift=np.uint64(64 - bits),
        word_atoms=_table(word_atoms, 4),
        word_keys=np.array(word_keys, dtype=np.uint64),
        set_atoms=_table(set_atoms, 3),
        set_keys=np.array(set_keys, dtype=np.uint64),
        groups=_table(groups, 4),
        sources=sources,
        answers=answers,
        between=np.array(_looks_between(roles), dtype=np.int32),
    )
    return tuple(ordered), tables


def _looks_between(roles: tuple[str, ...]) -> tuple[int, int]:
    """Return the words between which sets look: the two of the block, or of three those of the arc."""
    return (roles.index("h"), roles.index("m")) if len(roles) == 3 and {"h", "m"} <= {*roles} else (0, 1)


def _table(rows: list[list[int]], columns: int) -> NDArray[np.int32]:
    return np.array(rows, dtype=np.int32).reshape(-1, columns)


def _source(atom: Atom, roles: tuple[str, ...]) -> int:
    """Return the number of the source of a set: a role for its morphology, or the tags or coarse tags between."""
    if atom.question == "morph":
        return roles.index(atom.roles[0])
    return len(roles) + _BETWEEN.index(atom.attribute)


def _signature(template: Template, roles: tuple[str, ...]) -> tuple[int, ...]:
    """Return the sources of at most two sets; templates with none sort first."""
    found = [_source(atom, roles) for atom in template.atoms if atom.is_set]
    return (*found, NO_SET, NO_SET)[:2]


def _answers(
    name: str, templates: Sequence[Template], roles: tuple[str, ...]
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return the sources that depend on positions, and what each of their answers adds to each template."""
    sources: dict[tuple[int, int, int, int], NDArray[np.uint64]] = {}
    for index, template in enumerate(templates):
        for atom, key in zip(template.atoms, atom_keys(name, template), strict=True):
            if atom.question in _POSITIONAL:
                which, answers = _POSITIONAL[atom.question]
                first, second = _ends(atom, roles)
                kind = CLASSES.index(atom.attribute) if which == COUNT else 0
                rows = sources.setdefault(
                    (which, first, second, kind), np.zeros((len(answers), len(templates)), np.uint64)
                )
                added = np.array([mix((key + answer) & _MASK) for answer in answers], dtype=np.uint64)
                rows[:, index] += added
    return _two_halves(sources, len(templates))


def _two_halves(
    sources: dict[tuple[int, int, int, int], NDArray[np.uint64]], templates: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Combine sources into two, so that the kernel adds two rows for each part, whatever it is asked.

    The rows of a half are the combinations of the answers of its sources, numbered with a stride for each.
    """
    halves = [np.zeros((1, templates), dtype=np.uint64) for _ in range(2)]
    rows: list[list[int]] = []
    for source, answers in sorted(sources.items(), key=lambda item: -len(item[1])):
        half = int(len(halves[1]) < len(halves[0]))
        rows.append([*source, half, 0, len(halves[half])])
        halves[half] = (answers[:, None] + halves[half][None]).reshape(-1, templates)
    second = next((row for row in rows if row[4] == 1), None)
    if second is None:  # a half without a question is the single row of zeros: let it be row 0
        return _table(rows, 7) + np.array([0, 0, 0, 0, 0, 1, 0], dtype=np.int32), np.concatenate(halves[::-1]).ravel()
    second[5] = len(halves[0])
    return _table(rows, 7), np.concatenate(halves).ravel()


def _ends(atom: Atom, roles: tuple[str, ...]) -> tuple[int, int]:
    """Return the two words whose positions are asked for; SHAPE and SIDE always ask for all three."""
    return (roles.index(atom.roles[0]), roles.index(atom.roles[1])) if len(atom.roles) == 2 else (0, 0)


# For each question about positions its source, and the answer for each of the source's rows.  Rows of PAIR are leftward
# by distance, then rightward by distance.
_POSITIONAL = {
    "dir": (PAIR, [0] * DISTANCE_BINS + [1] * DISTANCE_BINS),
    "dist": (PAIR, [*range(DISTANCE_BINS)] * 2),
    "shape": (SHAPE, [0, 1, 2]),
    "side": (SIDE, [0, 1, 2]),
    "adjacent": (ADJACENT, [0, 1]),
    "count": (COUNT, [*range(COUNT_BINS)]),
}

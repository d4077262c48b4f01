"""The slow twin of the feature hasher: part by part, template by template, atom by atom, in plain integers."""

from itertools import product

import numpy as np

from nlp.features import ATTRIBUTES, CLASSES, EncodedSentence, TemplateSet
from nlp.features.blocks import atom_keys, mix, template_key
from nlp.features.encoded import AFTER, BEFORE

__all__ = ["answers", "feature_indices", "labelled_indices", "random_sentences"]

MASK = (1 << 64) - 1


def distance_bin(distance: int) -> int:
    if distance <= 10:
        return max(distance, 1) - 1
    return 10 + (distance > 20) + (distance > 30) + (distance > 40)


def attribute(sentence: EncodedSentence, position: int, name: str) -> int:
    if position < 0:
        return BEFORE
    if position > len(sentence):
        return AFTER
    return int(sentence.attributes[position, ATTRIBUTES.index(name)])


def answers(atom, sentence: EncodedSentence, at: dict[str, int]) -> list[int]:
    """Return the answers of one atom: one, or any number if it is a set."""
    match atom.question:
        case "word":
            return [attribute(sentence, at[atom.roles[0]] + atom.offset, atom.attribute)]
        case "morph":
            p = at[atom.roles[0]]
            return sentence.morph[sentence.morph_offsets[p] : sentence.morph_offsets[p + 1]].tolist()
        case "between":
            low, high = sorted(at[role] for role in atom.roles)
            return sorted({attribute(sentence, p, atom.attribute) for p in range(low + 1, high)})
        case "count":
            low, high = sorted(at[role] for role in atom.roles)
            counts = sentence.class_counts[CLASSES.index(atom.attribute)]
            return [min(sum(int(counts[p + 1] - counts[p]) for p in range(low + 1, high)), 4)]
        case "dir":
            return [int(at[atom.roles[0]] < at[atom.roles[1]])]
        case "dist":
            return [distance_bin(abs(at[atom.roles[0]] - at[atom.roles[1]]))]
        case "shape":
            return [["h", "m", "g"].index(sorted("ghm", key=lambda role: at[role])[1])]
        case "side":
            return [2 if at["s"] == at["h"] else int((at["m"] < at["h"]) == (at["s"] < at["h"]))]
        case "adjacent":
            return [int(abs(at["m"] - at["s"]) == 1)]
        case "bias":
            return []
    raise AssertionError(atom)


def finish(total: int, bits: int) -> int:
    return (((total ^ (total >> 32)) * 0xD6E8FEB86659FD93) & MASK) >> (64 - bits)


def feature_indices(templates: TemplateSet, sentence: EncodedSentence, part: tuple[int, ...], bits: int) -> list[int]:
    """Return the indices of all features of one part."""
    at = dict(zip(templates.roles, part, strict=True))
    found = []
    for template in templates:
        asked = [
            [mix((key + answer) & MASK) for answer in answers(atom, sentence, at)]
            for atom, key in zip(template.atoms, atom_keys(templates.name, template), strict=True)
            if atom.question != "bias"
        ]
        for combination in product(*asked):
            found.append(finish((template_key(templates.name, template) + sum(combination)) & MASK, bits))
    return found


def labelled_indices(
    templates: TemplateSet, sentence: EncodedSentence, part: tuple[int, ...], label: int, bits: int
) -> list[int]:
    """Return the indices of all features of one part with one label: 16 labels are neighbours."""
    row, column = divmod(label, 16)
    lines = [
        (((base ^ (row * 0x85EBCA6B)) * 0x9E3779B97F4A7C15) & MASK) >> (64 - (bits - 4))
        for base in feature_indices(templates, sentence, part, 32)
    ]
    return [16 * line + column for line in lines]


def random_sentences(count: int, rng: np.random.Generator, *, lemmas: bool = True, longest: int = 14):
    """Return made-up trees, some words of which occur but once."""
    from nlp.conll import Sentence

    words = [f"{a}{b}{c}" for a in ("Be", "lo", "mi") for b in ("-", "n", "7") for c in ("ra", "S", "tum", "x")]
    tags = ["Na", "Nb", "Va", "Vb", "Co", "Pu"]
    result = []
    for index in range(count):
        n = int(rng.integers(1, longest + 1))
        forms = [str(rng.choice(words)) for _ in range(n)]
        if n > 2:
            forms[1], forms[2] = f"once{index}", ","
        chosen = ["Pu" if form == "," else str(rng.choice(tags[:-1])) for form in forms]
        feats = ["_" if rng.random() < 0.3 else "|".join(f"f{k}={rng.integers(3)}" for k in range(rng.integers(1, 4)))
                 for _ in range(n)]  # fmt: skip
        result.append(
            Sentence.from_words(
                forms,
                tags=chosen,
                coarse_tags=[tag[0] for tag in chosen],
                feats=feats,
                lemmas=[form.lower()[:3] for form in forms] if lemmas else None,
                heads=[0, *(int(rng.integers(1, m)) for m in range(2, n + 1))],
            )
        )
    return result

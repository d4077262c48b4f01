"""All objects of each ready structure, listed without any hypergraph.

A function registered by `parts_of` takes a structure and yields (object, indices of the flat weights that it uses): the
definition of the structure in its plainest form.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise, product
from typing import Any

import numpy as np

from hypergraph import Structure
from hypergraph.structures import (
    ContextFree,
    GrandparentTrees,
    GrandSiblingTrees,
    LinearChain,
    NonprojectiveTrees,
    ProjectiveTrees,
    SecondOrderChain,
    Segmentation,
    SiblingTrees,
)
from oracles.arborescences import all_trees
from oracles.enumeration import Enumeration, canonical

__all__ = ["all_objects", "enumeration", "parts_lists"]

Listing = Iterator[tuple[Any, list[int]]]
parts_lists: dict[type[Structure], Callable[[Any], Listing]] = {}


def parts_of(kind: type[Structure]) -> Callable[[Callable[[Any], Listing]], Callable[[Any], Listing]]:
    def register(function: Callable[[Any], Listing]) -> Callable[[Any], Listing]:
        parts_lists[kind] = function
        return function

    return register


def all_objects(structure: Structure) -> list[tuple[Any, list[int]]]:
    kind = type(structure)
    if kind not in parts_lists:
        raise AssertionError(
            f"{kind.__name__} has no oracle: add to tests/oracles/objects.py a function with @parts_of({kind.__name__})"
            f" that yields every object, as `decode` returns it, with the indices of the weights that it uses"
        )
    return list(parts_lists[kind](structure))


@lru_cache(maxsize=256)
def enumeration(structure: Structure) -> Enumeration:
    listed = all_objects(structure)
    return Enumeration([canonical(o) for o, _ in listed], [tuple(p) for _, p in listed], structure.num_weights)


# Trees


def projective_trees(n: int, roots: str) -> Iterator[tuple[int, ...]]:
    """Yield the head vectors (-1, …) of the projective trees: out of all (n + 1)ⁿ, those that are."""
    for heads in product(range(n + 1), repeat=n):
        heads = (-1, *heads)
        if is_projective_tree(heads) and (roots == "any" or heads.count(0) == 1):
            yield heads


def is_projective_tree(heads: tuple[int, ...]) -> bool:
    def ancestors(word: int) -> list[int]:
        above = []
        while word != 0 and len(above) <= len(heads):  # a cycle never ends
            word = heads[word]
            above.append(word)
        return above

    for word in range(1, len(heads)):
        if ancestors(word)[-1] != 0:
            return False
        low, high = sorted((word, heads[word]))
        if any(heads[word] not in ancestors(between) for between in range(low + 1, high)):
            return False
    return True


def inner_sibling(heads: tuple[int, ...], word: int) -> int:
    """Return the nearest child of the word's head on the way to it, or the head itself."""
    head = heads[word]
    between = range(word - 1, head, -1) if head < word else range(word + 1, head)
    return next((other for other in between if heads[other] == head), head)


@parts_of(ProjectiveTrees)
def first_order(trees: ProjectiveTrees) -> Listing:
    for heads in projective_trees(trees.n, trees.roots):
        yield heads, [heads[m] * (trees.n + 1) + m for m in range(1, trees.n + 1)]


@parts_of(NonprojectiveTrees)
def first_order_nonprojective(trees: NonprojectiveTrees) -> Listing:
    for heads in all_trees(trees.n, trees.roots).tolist():
        yield (-1, *heads), [head * (trees.n + 1) + m for m, head in enumerate(heads, 1)]


@parts_of(SiblingTrees)
def with_siblings(trees: SiblingTrees) -> Listing:
    index = np.arange((trees.n + 1) ** 3).reshape((trees.n + 1,) * 3)
    for heads in projective_trees(trees.n, trees.roots):
        yield heads, [int(index[heads[m], m, inner_sibling(heads, m)]) for m in range(1, trees.n + 1)]


@parts_of(GrandparentTrees)
def with_grandparents(trees: GrandparentTrees) -> Listing:
    index = np.arange((trees.n + 1) ** 3).reshape((trees.n + 1,) * 3)
    for heads in projective_trees(trees.n, trees.roots):
        yield heads, [int(index[max(heads[heads[m]], 0), heads[m], m]) for m in range(1, trees.n + 1)]


@parts_of(GrandSiblingTrees)
def with_both(trees: GrandSiblingTrees) -> Listing:
    index = np.arange((trees.n + 1) ** 4).reshape((trees.n + 1,) * 4)
    for heads in projective_trees(trees.n, trees.roots):
        words = range(1, trees.n + 1)
        yield heads, [int(index[max(heads[heads[m]], 0), heads[m], m, inner_sibling(heads, m)]) for m in words]


# Sequences


@parts_of(LinearChain)
def tag_sequences(chain: LinearChain) -> Listing:
    length, states = chain.length, chain.states
    for tags in product(range(states), repeat=length):
        parts = [t * states + tag for t, tag in enumerate(tags)]
        for t, (before, after) in enumerate(pairwise(tags)):
            step = 0 if chain.shared_transitions else t
            parts.append(length * states + (step * states + before) * states + after)
        yield tags, parts


@parts_of(SecondOrderChain)
def tag_sequences_by_triples(chain: SecondOrderChain) -> Listing:
    length, states = chain.length, chain.states
    for tags in product(range(states), repeat=length):
        parts = [t * states + tag for t, tag in enumerate(tags)]
        if length > 1:
            parts.append(length * states + tags[0] * states + tags[1])
        for t in range(length - 2):
            cell = ((t * states + tags[t]) * states + tags[t + 1]) * states + tags[t + 2]
            parts.append(length * states + states**2 + cell)
        yield tags, parts


@parts_of(Segmentation)
def segmentations(cuts: Segmentation) -> Listing:
    length, labels, longest = cuts.length, cuts.labels, cuts.max_segment
    for inner in product((False, True), repeat=length - 1):
        borders = [0, *(i + 1 for i, cut in enumerate(inner) if cut), length]
        if any(end - start > longest for start, end in pairwise(borders)):
            continue
        for labelling in product(range(labels), repeat=len(borders) - 1):
            segments = [(i, j, label) for (i, j), label in zip(pairwise(borders), labelling, strict=True)]
            parts = [(i * longest + j - i - 1) * labels + label for i, j, label in segments]
            parts += [length * longest * labels + k * labels + label for k, label in pairwise(labelling)]
            yield segments, parts


# Context-free trees


def bracketings(i: int, j: int) -> Iterator[Any]:
    """Yield every binary bracketing of the words i … j - 1, a word as its position."""
    if j == i + 1:
        yield i
    for k in range(i + 1, j):
        yield from product(bracketings(i, k), bracketings(k, j))


def labellings(bracketing: Any, symbols: tuple[str, ...]) -> Iterator[Any]:
    """Yield a bracketing with every choice of a symbol for each of its nodes."""
    if isinstance(bracketing, int):
        yield from ((symbol, bracketing) for symbol in symbols)
        return
    for symbol in symbols:
        for left, right in product(*(labellings(half, symbols) for half in bracketing)):
            yield (symbol, left, right)


@parts_of(ContextFree)
def context_free_trees(trees: ContextFree) -> Listing:
    symbols, rules = trees.grammar.symbols, trees.grammar.rules

    def parts(tree: Any) -> list[int] | None:
        """Return the parts of a labelled tree, or None if it uses what is no rule."""
        if len(tree) == 2:
            return [len(symbols) + len(rules) + tree[1] * len(symbols) + symbols.index(tree[0])]
        left, right = parts(tree[1]), parts(tree[2])
        rule = (tree[0], tree[1][0], tree[2][0])
        if left is None or right is None or rule not in rules:
            return None
        return [len(symbols) + rules.index(rule), *left, *right]

    for bracketing in bracketings(0, trees.n):
        for tree in labellings(bracketing, symbols):
            below = parts(tree)
            if below is not None:
                yield tree, [symbols.index(tree[0]), *below]

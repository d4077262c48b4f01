"""All dependency trees of a few words, and the parts of a tree, by their definitions."""

from itertools import combinations, pairwise, product

__all__ = ["all_trees", "crosses", "parts_of_tree"]


def all_trees(n: int, *, projective: bool, one_root: bool):
    """Yield tuples (n + 1,) of heads, -1 first."""
    for heads in product(*[[h for h in range(n + 1) if h != m] for m in range(1, n + 1)]):
        tree = (-1, *heads)
        if one_root and sum(h == 0 for h in heads) != 1:
            continue
        if all(_reaches_root(tree, m) for m in range(1, n + 1)) and not (projective and _crossings(tree)):
            yield tree


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two arcs cross."""
    (a, b), (c, d) = sorted(one), sorted(other)
    return a < c < b < d or c < a < d < b


def parts_of_tree(heads: tuple[int, ...]) -> dict[str, set[tuple[int, ...]]]:
    """Return the words of the parts of each kind, in the order of their roles."""
    words = range(1, len(heads))
    found: dict[str, set[tuple[int, ...]]] = {
        "arc": {(heads[m], m) for m in words},
        "grandparent": {(heads[heads[m]], heads[m], m) for m in words if heads[m] > 0},
        "sibling": {(heads[m], m, s) for m, s in combinations(words, 2) if heads[m] == heads[s]},
        "nocross": _crossings(heads),
        "childseq": set(),
    }
    for head in range(len(heads)):
        left = [m for m in range(head - 1, 0, -1) if heads[m] == head]
        right = [m for m in range(head + 1, len(heads)) if heads[m] == head]
        for side in (left, right):
            found["childseq"] |= {(head, m, s) for s, m in pairwise([head, *side])}
    return found


def _crossings(heads: tuple[int, ...]) -> set[tuple[int, ...]]:
    words = range(1, len(heads))
    return {(j, k) for j, k in combinations(words, 2) if crosses((heads[j], j), (heads[k], k))}


def _reaches_root(heads: tuple[int, ...], word: int) -> bool:
    for _ in heads:
        if word == 0:
            return True
        word = heads[word]
    return False

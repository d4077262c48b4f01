"""A dependency tree as text, for people to read in a terminal."""

from collections.abc import Sequence

__all__ = ["text_tree"]


def text_tree(words: Sequence[str], heads: Sequence[int], relations: Sequence[str | None] | None = None) -> str:
    """Draw a tree with one word a line, each below and to the right of its head.

    Parameters
    ----------
    words : (n,) the words
    heads : (n,) the head of each word; 0 is the root
    relations : (n,) names, shown after the words; None or `_` where there is none

    Examples
    --------
    >>> print(text_tree(["time", "flies", "like", "arrows"], [2, 0, 2, 3], ["nsubj", "root", "prep", "pobj"]))
    flies (root)
    ├── time (nsubj)
    └── like (prep)
        └── arrows (pobj)
    """
    children: list[list[int]] = [[] for _ in range(len(words) + 1)]
    for position, head in enumerate(heads, start=1):
        children[head].append(position)
    names = [None] * len(words) if relations is None else relations
    shown = [word if name in (None, "_") else f"{word} ({name})" for word, name in zip(words, names, strict=True)]
    lines: list[str] = []
    pending = [(root, "", "") for root in reversed(children[0])]
    while pending:  # a stack, not recursion: a tree may be as deep as the sentence is long
        position, prefix, branch = pending.pop()
        lines.append(prefix + branch + shown[position - 1])
        below = prefix + {"": "", "├── ": "│   ", "└── ": "    "}[branch]
        last = children[position][-1:]
        for child in reversed(children[position]):
            pending.append((child, below, "└── " if [child] == last else "├── "))
    return "\n".join(lines)

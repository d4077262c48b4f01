"""A dependency tree as text, for people to read in a terminal."""

from collections.abc import Sequence

__all__ = ["text_tree"]


def text_tree(words: Sequence[str], heads: Sequence[int]) -> str:
    """Draw a tree with one word a line, each below and to the right of its head.

    Parameters
    ----------
    words : (n,) the words
    heads : (n + 1,) the head of each position; 0 is the root, and the first entry is not looked at

    Examples
    --------
    >>> print(text_tree(["time", "flies", "like", "arrows"], [-1, 2, 0, 2, 3]))
    flies
    ├── time
    └── like
        └── arrows
    """
    children: list[list[int]] = [[] for _ in range(len(words) + 1)]
    for position, head in enumerate(heads):
        if position > 0:
            children[head].append(position)
    lines: list[str] = []
    pending = [(root, "", "") for root in reversed(children[0])]
    while pending:  # a stack, not recursion: a tree may be as deep as the sentence is long
        position, prefix, branch = pending.pop()
        lines.append(prefix + branch + words[position - 1])
        below = prefix + {"": "", "├── ": "│   ", "└── ": "    "}[branch]
        last = children[position][-1:]
        for child in reversed(children[position]):
            pending.append((child, below, "└── " if [child] == last else "├── "))
    return "\n".join(lines)

"""What keeps heads from being a dependency tree."""

from collections.abc import Sequence

__all__ = ["find_cycle"]


def find_cycle(heads: Sequence[int]) -> list[int]:
    """Return the words of a cycle, each followed by its head, or none; heads of words 1 … n, 0 for the root.

    Examples
    --------
    >>> find_cycle([2, 0, 2]), find_cycle([0, 3, 4, 2])
    ([], [2, 3, 4])
    """
    seen = [0] * (len(heads) + 1)  # the word from which the way up first came by
    for start in range(1, len(heads) + 1):
        word = start
        while word > 0 and not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if word > 0 and seen[word] == start:
            cycle = [word]
            while heads[cycle[-1] - 1] != word:
                cycle.append(heads[cycle[-1] - 1])
            return cycle
    return []

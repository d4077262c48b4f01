"""A junction tree before there is anything in it, and what it will cost."""

import math

from attrs import field, frozen

__all__ = ["Clique", "Plan", "human_bytes"]


@frozen(eq=False)
class Clique:
    """A node of a junction tree.

    Attributes
    ----------
    scope : its variables
    separator : those that it shares with its parent
    parent : the number of its parent, which is greater than its own; -1 for the root of a component
    """

    scope: tuple[int, ...] = field()
    separator: tuple[int, ...] = field()
    parent: int = field()


@frozen(eq=False)
class Plan:
    """A junction tree, children before parents, and what it costs.

    Attributes
    ----------
    treewidth : of this tree (the number of variables of its largest clique, less 1); an upper bound of the graph's
    largest_table : the number of entries of the largest clique
    table_entries : the same of all cliques together; time is proportional to it
    memory : bytes that inference needs
    """

    cliques: tuple[Clique, ...] = field(repr=False)
    treewidth: int = field()
    largest_table: int = field()
    table_entries: int = field()
    memory: int = field()

    def __str__(self) -> str:
        return (
            f"treewidth {self.treewidth}, {len(self.cliques)} cliques, the largest with {_short(self.largest_table)} "
            f"entries, {human_bytes(self.memory)} of memory"
        )


def human_bytes(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    units = ("bytes", "KiB", "MiB", "GiB", "TiB")
    power = min((max(count, 1).bit_length() - 1) // 10, len(units) - 1)
    if power == 0:
        return f"{count} bytes"
    number = f"{count / 1024**power:.1f}" if count < 1024**5 else _short(count // 1024**power)
    return f"{number} {units[power]}"


def _short(count: int) -> str:
    """Return a whole number, which may be too large for a float."""
    if count < 10_000_000:
        return str(count)
    return f"{count:.1e}" if count.bit_length() < 1000 else f"about 1e{math.log10(count):.0f}"

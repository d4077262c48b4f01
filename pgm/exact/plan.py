"""A junction tree before there is anything in it, and what it will cost."""

import math

from attrs import field, frozen

__all__ = ["Clique", "JunctionTreePlan", "human_bytes", "more_bytes"]


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
class JunctionTreePlan:
    """A junction tree, children before parents, and what it costs.

    Attributes
    ----------
    treewidth : of this tree (the number of variables of its largest clique, less 1); an upper bound of the graph's
    largest_table : the number of entries of the largest clique
    table_entries : the same of all cliques together; time is proportional to it
    memory : bytes that inference needs
    abandoned : whether planning was given up, because a clique was far beyond the budget; there are then no cliques,
        and the numbers are those of that clique: more would be needed
    """

    cliques: tuple[Clique, ...] = field(repr=False)
    treewidth: int = field()
    largest_table: int = field()
    table_entries: int = field()
    memory: int = field()
    abandoned: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        if self.abandoned:
            return (
                f"treewidth {self.treewidth} and more: given up at a clique with {_short(self.largest_table)} entries, "
                f"{human_bytes(self.memory)} of memory"
            )
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


def more_bytes(count: int, than: int) -> str:
    """Return a number of bytes, with as many digits as it takes to see that it is more than another.

    >>> more_bytes(2 * 1024**3 + 8, 2 * 1024**3)
    '2.0 GiB and 8 bytes'
    >>> more_bytes(3 * 1024**3, 2 * 1024**3)
    '3.0 GiB'
    """
    if human_bytes(count) != human_bytes(than):
        return human_bytes(count)
    return f"{human_bytes(than)} and {human_bytes(count - than)}"


def _short(count: int) -> str:
    """Return a whole number, which may be too large for a float."""
    if count < 10_000_000:
        return str(count)
    return f"{count:.1e}" if count.bit_length() < 1000 else f"about 1e{math.log10(count):.0f}"

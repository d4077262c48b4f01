"""How many words of a dependency tree may depend on its root."""

from typing import Literal

__all__ = ["Roots", "has_one_root"]

Roots = Literal["any", "one"]


def has_one_root(roots: str) -> bool:
    """Return whether the root 0 has exactly one child, instead of any number; an error if `roots` says neither.

    Examples
    --------
    >>> has_one_root("one")
    True
    """
    if roots not in ("any", "one"):
        raise ValueError(f"roots is 'any' or 'one', not {roots!r}")
    return roots == "one"

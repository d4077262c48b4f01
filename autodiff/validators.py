"""Validators of attrs classes whose messages are for people."""

from typing import Any

import attrs

__all__ = ["one_of"]


def one_of(*allowed: Any) -> Any:
    """Return a validator that takes only some values, and says which.

    Examples
    --------
    >>> @attrs.frozen
    ... class Tree:
    ...     roots: str = attrs.field(validator=one_of("any", "one"))
    >>> Tree("two")
    Traceback (most recent call last):
    ValueError: Tree: roots is 'any' or 'one', not 'two'
    """

    def check(instance: Any, attribute: "attrs.Attribute[Any]", value: Any) -> None:
        if value not in allowed:
            *most, last = map(repr, allowed)
            listed = f"{', '.join(most)} or {last}" if most else last
            raise ValueError(f"{type(instance).__name__}: {attribute.name} is {listed}, not {value!r}")

    return check

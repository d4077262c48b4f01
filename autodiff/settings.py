"""Settings, attrs classes, from the plain values of a file."""

from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from attrs import Attribute, fields

__all__ = ["settings_from"]

S = TypeVar("S")


def settings_from(
    kind: type[S],
    given: Any,
    declared_fields: "Iterable[Attribute[Any]] | None" = None,
    fixed: Mapping[str, Any] | None = None,
) -> S:
    """Return the settings, an attrs class, of which a file has the values: all of them and no others.

    Parameters
    ----------
    declared_fields : those that are in the file; by default all that the constructor takes
    fixed : other arguments of the constructor

    Raises
    ------
    ValueError
        If a setting is unknown, missing, or of another type than its class declares.

    Examples
    --------
    >>> from attrs import asdict, frozen
    >>> @frozen
    ... class Size:
    ...     width: int = 3
    >>> settings_from(Size, {"width": 5})
    Size(width=5)
    >>> settings_from(Size, {"width": 5, "colour": 7})
    Traceback (most recent call last):
    ValueError: Size has no setting 'colour'
    """
    chosen = fields(kind) if declared_fields is None else declared_fields  # type: ignore[arg-type]
    known = [each.name for each in chosen if each.init]
    if not isinstance(given, Mapping):
        raise ValueError(f"{kind.__name__} are {str(given)[:40]!r}, expected settings by name")
    for name in given:
        if name not in known:
            raise ValueError(f"{kind.__name__} has no setting {str(name)[:40]!r}")
    declared = get_type_hints(kind)
    for name in known:
        if name not in given:
            raise ValueError(f"{kind.__name__} lacks the setting {name!r}")
        if not _is_a(given[name], declared[name]):
            raise ValueError(f"{kind.__name__}: {name} is {str(given[name])[:40]!r}")
    try:
        return kind(**given, **(fixed or {}))
    except TypeError as error:
        raise ValueError(f"{kind.__name__}: {error}") from None


def _is_a(value: Any, declared: Any) -> bool:
    """Tell whether a value of JSON is of a declared type; true and false are no numbers, and whole numbers are."""
    if get_origin(declared) in (Union, UnionType):
        return any(_is_a(value, each) for each in get_args(declared))
    if get_origin(declared) is Literal:
        return any(value == each and type(value) is type(each) for each in get_args(declared))
    if declared is float:
        return type(value) in (int, float) and abs(value) < float("inf")
    return type(value) is declared or (declared in (None, NoneType) and value is None)

"""Classes that are chosen by name, on command lines and in files, with their settings."""

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from attrs import Attribute, field, fields

from autodiff.settings import settings_from

__all__ = ["Named", "setting"]


def setting(*, help: str, **options: Any) -> Any:
    """Return an attrs field that reaches the command line, with a line of help; the rest is as in `attrs.field`.

    Examples
    --------
    >>> from attrs import fields, frozen
    >>> @frozen
    ... class Size:
    ...     width: int = setting(default=3, help="In pixels.")
    >>> fields(Size).width.metadata["help"]
    'In pixels.'
    """
    return field(metadata={"help": help}, **options)


class Named:
    """Base of contracts whose kinds are told apart by `name`; a kind is an attrs class with plain settings.

    Whoever chooses by name finds all kinds that have been imported, those of users too: nothing is registered.

    Examples
    --------
    >>> from attrs import frozen
    >>> class Shape(Named):
    ...     pass
    >>> @frozen
    ... class Circle(Shape):
    ...     name = "circle"
    ...     radius: float = setting(default=1.0, help="Of the circle.")
    >>> Shape.named("circle", radius=2.0)
    Circle(radius=2.0)
    >>> Circle(2.0).plain()
    {'name': 'circle', 'radius': 2.0}
    >>> Shape.from_plain({"name": "circle", "radius": 2.0})
    Circle(radius=2.0)
    >>> Shape.named("square")
    Traceback (most recent call last):
    ValueError: there is no Shape 'square'; there is 'circle'
    """

    name: ClassVar[str] = ""

    @classmethod
    def kinds(cls) -> dict[str, type[Self]]:
        """Return all kinds that have a name, by it."""
        return {kind.name: kind for kind in sorted(_below(cls), key=lambda kind: kind.name) if kind.name}

    @classmethod
    def named(cls, name: str, **settings: Any) -> Self:
        """Return a new object of the kind with this name."""
        return cls.kind(name)(**settings)

    @classmethod
    def kind(cls, name: Any) -> type[Self]:
        """Return the kind with this name."""
        kinds = cls.kinds()
        if not isinstance(name, str) or name not in kinds:
            raise ValueError(f"there is no {cls.__name__} {str(name)[:40]!r}; there is {', '.join(map(repr, kinds))}")
        return kinds[name]

    @classmethod
    def option_fields(cls) -> "list[Attribute[Any]]":
        """Return the fields that reach command lines and files."""
        return [each for each in fields(cls) if "help" in each.metadata]  # type: ignore[arg-type]

    def plain(self) -> dict[str, Any]:
        """Return the name and the settings as plain values."""
        return {"name": self.name, **{each.name: getattr(self, each.name) for each in type(self).option_fields()}}

    @classmethod
    def from_plain(cls, given: Any, **fixed: Any) -> Self:
        """Undo `plain`; a ValueError says what is wrong with values that it did not return.

        Parameters
        ----------
        fixed : other arguments of the constructor
        """
        if not isinstance(given, dict) or "name" not in given:
            raise ValueError(f"{cls.__name__}: {str(given)[:40]!r}, expected settings with a name")
        kind = cls.kind(given["name"])
        own = {name: value for name, value in given.items() if name != "name"}
        return settings_from(kind, own, kind.option_fields(), fixed)


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)

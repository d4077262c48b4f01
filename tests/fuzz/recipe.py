"""How to call a public name well: the good calls from which the bad ones are made."""

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from attrs import field, frozen

__all__ = ["Case", "cases_of", "exempt", "exemptions", "load", "recipe", "recipes"]


@frozen(eq=False, init=False)
class Case:
    """A function, and good arguments for it; arrays and numbers among them (also inside lists and dicts) are replaced.

    The function does all that the door offers with those arguments (builds the object, runs it, calls `backward`) and
    returns what is to agree: arrays, numbers and text, nested as may be.

    Parameters
    ----------
    function : called with the arguments by keyword
    words : for an argument, further words by which a message may name it
    keep : arguments that are not replaced
    extra : for an argument, further values to try
    changes : arguments that the door changes in place on purpose
    """

    function: Callable[..., Any] = field()
    arguments: dict[str, Any] = field()
    words: dict[str, tuple[str, ...]] = field()
    keep: tuple[str, ...] = field()
    extra: dict[str, tuple[Any, ...]] = field()
    changes: tuple[str, ...] = field()

    def __init__(
        self,
        function: Callable[..., Any],
        /,
        *,
        _words: dict[str, tuple[str, ...]] | None = None,
        _keep: tuple[str, ...] = (),
        _extra: dict[str, tuple[Any, ...]] | None = None,
        _changes: tuple[str, ...] = (),
        **arguments: Any,
    ) -> None:
        self.__attrs_init__(function, arguments, _words or {}, _keep, _extra or {}, _changes)


recipes: dict[str, Callable[[], Iterable[Case]]] = {}
exemptions: dict[str, str] = {}


def recipe(*names: str) -> Callable[[Callable[[], Iterable[Case]]], Callable[[], Iterable[Case]]]:
    """Register a function that yields cases for the doors with these full names."""

    def register(function: Callable[[], Iterable[Case]]) -> Callable[[], Iterable[Case]]:
        for name in names:
            if name in recipes:
                raise AssertionError(f"{name} has two recipes")
            recipes[name] = function
        return function

    return register


def exempt(reason: str, *names: str) -> None:
    """Say why doors have no recipe of their own."""
    exemptions.update(dict.fromkeys(names, reason))


def load(package: str) -> None:
    """Import the recipes of a package."""
    importlib.import_module(f"fuzz.recipes_{package}")


def cases_of(name: str) -> list[Case]:
    """Return the cases of a door."""
    load(name.split(".")[0])
    return list(recipes[name]())

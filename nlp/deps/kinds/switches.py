"""The switches of the kinds of parts, as settings."""

from functools import lru_cache
from typing import Any

from attrs import fields, make_class
from attrs.validators import instance_of

from autodiff.named import setting
from nlp.deps.kinds.base import PartKind

__all__ = ["names_of", "part_switches"]


def part_switches() -> type[Any]:
    """Return an attrs class with a switch for each kind of parts that there is, those of users too.

    >>> part_switches()(siblings=False)
    PartSwitches(childseq=False, nocross=False, grandparents=True, siblings=False)
    """
    return _make(tuple(kind for kind in PartKind.kinds().values() if kind.option))


@lru_cache(maxsize=16)
def _make(kinds: tuple[type[PartKind], ...]) -> type[Any]:
    switches = {
        kind.option: setting(default=kind.default, validator=instance_of(bool), help=kind.help) for kind in kinds
    }
    return make_class("PartSwitches", switches, frozen=True, kw_only=True)


def names_of(switches: Any) -> list[str]:
    """Return the names of the kinds that are switched on, in the order of their names.

    >>> names_of(part_switches()(siblings=False))
    ['grandparent']
    """
    on = {each.name for each in fields(type(switches)) if getattr(switches, each.name)}
    return [name for name, kind in PartKind.kinds().items() if kind.option in on]

"""The switches of the kinds of parts, as settings."""

from functools import lru_cache
from typing import Any

from attrs import fields, frozen
from attrs.validators import instance_of

from autodiff.named import setting
from nlp.deps.kinds.switched import Switched

__all__ = ["names_of", "part_switches"]


def part_switches() -> type[Any]:
    """Return an attrs class with a switch for each kind of parts that there is, those of users too.

    >>> part_switches()(siblings=False)
    PartSwitches(childseq=False, grandparents=True, nocross=False, relation_pairs=True, siblings=False)
    """
    return _make(tuple(kind for kind in Switched.kinds().values() if kind.option))


@lru_cache(maxsize=16)
def _make(kinds: tuple[type[Switched], ...]) -> type[Any]:
    body: dict[str, Any] = {
        kind.option: setting(default=kind.default, validator=instance_of(bool), help=kind.help) for kind in kinds
    }
    body |= {"__annotations__": {kind.option: bool for kind in kinds}, "__doc__": "The kinds of parts that are scored."}
    return frozen(kw_only=True)(type("PartSwitches", (), body))


def names_of(switches: Any, contract: type[Switched]) -> list[str]:
    """Return the names of the kinds of a contract that are switched on, in the order of their names.

    >>> from nlp.deps.kinds import LabelledKind, PartKind
    >>> names_of(part_switches()(siblings=False), PartKind), names_of(part_switches()(), LabelledKind)
    (['grandparent'], ['relation_pair'])
    """
    on = {each.name for each in fields(type(switches)) if getattr(switches, each.name)}
    return [name for name, kind in contract.kinds().items() if kind.option in on]

"""Options of an `OptionSet` on a command line: names, types, defaults and help are those of the settings."""

from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click
from attrs import NOTHING, Attribute

from autodiff.options import OptionSet

__all__ = ["add_options", "given_options"]

Command = Callable[..., Any]


def add_options(options: OptionSet, *, defaults: bool = True) -> Callable[[Command], Command]:
    """Return a decorator that gives a command all options of a set; one that is not given is None.

    Parameters
    ----------
    defaults : whether the help tells the defaults
    """

    def add(command: Command) -> Command:
        for name, choice in reversed(options.choices().items()):
            kinds = list(choice.contract.kinds())
            kind = None if choice.several else click.Choice(kinds)
            text = f"{choice.help}  [{'|'.join(kinds)}]" if choice.several else choice.help
            told = f"{text}  [default: {choice.default}]" if defaults else text
            command = click.option(_flag(name), name, type=kind, help=told)(command)
        for name, attribute in reversed(options.attributes().items()):
            command = _option(name, attribute, defaults)(command)
        return command

    return add


def given_options(options: OptionSet, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a set that were given on the command line."""
    return {name: values[name] for name in options if values.get(name) is not None}


def _option(name: str, attribute: "Attribute[Any]", defaults: bool) -> Callable[[Command], Command]:
    text = attribute.metadata["help"]
    default = attribute.default
    if defaults and default is not NOTHING and default is not None and not isinstance(default, bool):
        text += f"  [default: {default}]"
    kind = _plain_type(attribute.type)
    if kind is bool:
        if defaults and isinstance(default, bool):
            text += f"  [default: {_flag(name)[2:] if default else 'no-' + _flag(name)[2:]}]"
        return click.option(f"{_flag(name)}/--no-{_flag(name)[2:]}", name, default=None, help=text)
    if get_origin(kind) is Literal:
        return click.option(_flag(name), name, type=click.Choice([str(each) for each in get_args(kind)]), help=text)
    return click.option(_flag(name), name, type=_Number(kind, attribute), help=text, metavar=kind.__name__.upper())


class _Number(click.ParamType):
    """A number; the converter and the validator of its field say what will do."""

    def __init__(self, kind: type[Any], attribute: "Attribute[Any]") -> None:
        self.kind, self.attribute = kind, attribute
        self.name = kind.__name__

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        """Return a whole number or a float where the text is one, and else the text, for the field to judge."""
        for kind in (int, float) if self.kind is int else (self.kind,):
            try:
                return kind(value)
            except (TypeError, ValueError):
                continue
        return value


def _plain_type(declared: Any) -> Any:
    """Return the type without None."""
    if get_origin(declared) in (Union, UnionType):
        return next(each for each in get_args(declared) if each is not NoneType)
    return declared


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")

"""A group of commands that are imported when they are asked for, all under the same guard."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

from pgm.shell.entry_point import guarded

__all__ = ["CommandGroup"]


class CommandGroup(click.Group):
    """Commands here and in modules of their own.

    Parameters
    ----------
    elsewhere : {name of a command: the module that has it, under that name}

    Examples
    --------
    >>> @click.group(cls=CommandGroup, elsewhere={"infer": "pgm.shell.infer_command"})
    ... def main():
    ...     pass
    >>> main.list_commands(click.Context(main))
    ['infer']
    """

    def __init__(self, *arguments: Any, elsewhere: Mapping[str, str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.elsewhere = dict(elsewhere)

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> click.Context:
        """Read the options; what --help and --version print is output as well."""
        with guarded(click.Context(self, info_name=info_name)):
            return super().make_context(info_name, args, *more, **extra)

    def invoke(self, context: click.Context) -> Any:
        """Run the command that was asked for."""
        with guarded(context):
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all."""
        return sorted({*super().list_commands(context), *self.elsewhere})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return one of them."""
        if name in self.elsewhere and name not in self.commands:
            self.add_command(vars(importlib.import_module(self.elsewhere[name]))[name])
        return super().get_command(context, name)

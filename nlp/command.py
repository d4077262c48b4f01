"""The command `tacana`."""

import importlib
from typing import Any

import click

from nlp.entry_point import guarded

__all__ = ["main"]

# commands with files of their own, imported when they are asked for
_ELSEWHERE = {
    "evaluate": "nlp.evaluate_command",
    "infer": "pgm.infer_command",
    "info": "nlp.deps.parse_command",
    "parse": "nlp.deps.parse_command",
    "train": "nlp.deps.train_command",
}


class _Commands(click.Group):
    """The commands here and elsewhere, all run under the same guard."""

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
        return sorted({*super().list_commands(context), *_ELSEWHERE})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return one of them."""
        if name in _ELSEWHERE and name not in self.commands:
            self.add_command(getattr(importlib.import_module(_ELSEWHERE[name]), name))
        return super().get_command(context, name)


@click.group(cls=_Commands)
@click.version_option(package_name="tacana")
def main() -> None:
    """Structured belief propagation, hypergraphs, and a dependency parser."""


@main.command()
def demo() -> None:
    """Train a parser on a small treebank that ships with the package, and show how it does on held-out sentences."""
    from nlp.deps.demo import report

    report(click.echo)

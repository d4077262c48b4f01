"""The command `tacana`: the commands of factor graphs, and those of language."""

import click

from pgm.shell import command
from pgm.shell.group import CommandGroup

__all__ = ["main"]

_COMMANDS = {
    "evaluate": "nlp.evaluate_command",
    "info": "nlp.deps.parse_command",
    "parse": "nlp.deps.parse_command",
    "train": "nlp.deps.train_command",
}


@click.group(cls=CommandGroup, elsewhere={**command.COMMANDS, **_COMMANDS})
@click.version_option(package_name="tacana")
def main() -> None:
    """Structured belief propagation, hypergraphs, and a dependency parser."""


@main.command()
def demo() -> None:
    """Train a parser on a small treebank that ships with the package, and show how it does on held-out sentences."""
    from nlp.deps.demo import report

    report(click.echo)

"""The commands of factor graphs."""

import click

from pgm.shell.group import CommandGroup

__all__ = ["COMMANDS", "main"]

COMMANDS = {"infer": "pgm.shell.infer_command"}
"""By name, the modules that have them."""


@click.group(cls=CommandGroup, elsewhere=COMMANDS)
@click.version_option(package_name="tacana")
def main() -> None:
    """Inference in factor graphs."""

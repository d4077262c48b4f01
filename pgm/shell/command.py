"""The commands of factor graphs."""

import click

from pgm.shell.group import CommandGroup

__all__ = ["COMMANDS", "ERRORS", "main"]

COMMANDS = {"infer": "pgm.shell.infer_command"}
"""By name, the modules that have them."""

ERRORS = ("autodiff.files:FileTooLargeError", "pgm.errors:PgmError")
"""What bad input raises."""


@click.group(cls=CommandGroup, elsewhere=COMMANDS, errors=ERRORS)
@click.version_option(package_name="tacana")
def main() -> None:
    """Inference in factor graphs."""

"""The option, of all commands that read treebanks, that says how large one may be."""

from typing import Any

import click

__all__ = ["limit_option"]


def limit_option(command: Any) -> Any:
    """Add --max-megabytes to a command."""
    text = "Largest treebank that is read, in 10^6 bytes, unzipped."
    return click.option("--max-megabytes", type=click.FloatRange(0), default=500.0, show_default=True, help=text)(
        command
    )

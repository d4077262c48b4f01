"""The command `tacana`."""

import click

__all__ = ["main"]


@click.group()
@click.version_option(package_name="tacana")
def main() -> None:
    """Structured belief propagation, hypergraphs, and a dependency parser."""


@main.command()
def demo() -> None:
    """Parse a toy sentence with hand-set arc scores, and print what the hypergraph engine tells of it."""
    from nlp.deps.demo import report

    click.echo(report())

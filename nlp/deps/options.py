"""Options of the command line that `train` and `parse` share: how to infer and to decode."""

from collections.abc import Callable
from typing import Any

import click

__all__ = ["inference_options", "switch"]

_OPTIONS: list[tuple[str, dict[str, Any], Any]] = [
    ("--iterations", {"type": click.IntRange(1), "help": "Of belief propagation."}, 4),
    ("--damping", {"type": click.FloatRange(0, 1, max_open=True), "help": "Share of the old message in the new."}, 0.0),
    ("--schedule", {"type": click.Choice(["tree", "parallel"]), "help": "Order of messages."}, "tree"),
    ("--inference", {"type": click.Choice(["bp", "exact"]), "help": "Belief propagation, or all at once."}, "bp"),
    ("--constraint", {"type": click.Choice(["tree", "exactly_one", "at_most_one", "not_two"]),
                      "help": "What makes arcs a tree, in inference."}, "tree"),
    ("--decoder", {"type": click.Choice(["mbr", "log-odds", "map"]), "help": "From beliefs to a tree."}, "mbr"),
]  # fmt: skip


def inference_options(*, defaults: bool) -> Callable[[Any], Any]:
    """Add them to a command; without defaults, an option that is not given is None."""

    def add(command: Any) -> Any:
        for name, details, default in reversed(_OPTIONS):
            given = {"default": default, "show_default": True} if defaults else {}
            command = click.option(name, **details, **given)(command)
        return command

    return add


def switch(name: str, default: bool, text: str) -> Any:
    """Return a pair of options --name/--no-name."""
    return click.option(f"--{name}/--no-{name}", default=default, show_default=True, help=text)

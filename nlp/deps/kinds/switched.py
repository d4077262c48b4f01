"""What kinds of parts have in common, whether their arcs have relations or not: a switch, roles and templates."""

from typing import ClassVar

from nlp.deps.templated import Templated

__all__ = ["Switched"]


class Switched(Templated):
    """Parts that models have or not."""

    option: ClassVar[str] = ""
    """The switch by which models have this kind; none for those that all models have."""
    default: ClassVar[bool] = False
    """Whether second-order models have it unless they are told otherwise."""
    help: ClassVar[str] = ""
    """A line for the command line."""

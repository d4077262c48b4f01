"""What can go wrong with a treebank file."""

from autodiff.errors import InputError

__all__ = ["ConllError", "ConllWarning"]


class ConllError(InputError, ValueError):
    """A file is malformed; the message says `file:line: what is wrong; expected what`."""


class ConllWarning(UserWarning):
    """A file is unusual, but its format allows that."""

"""What can go wrong with a treebank file."""

__all__ = ["ConllError", "ConllWarning"]


class ConllError(ValueError):
    """A file is malformed; the message says `file:line: what is wrong; expected what`."""


class ConllWarning(UserWarning):
    """A file is unusual, but its format allows that."""

"""What can go wrong in the parser."""

from autodiff.errors import InputError

__all__ = ["ParserError", "ParserWarning"]


class ParserError(InputError, ValueError):
    """Training data, options or a call that cannot work; the message says what to do."""


class ParserWarning(UserWarning):
    """The parser can do what it is asked, but hardly well: the message says why."""

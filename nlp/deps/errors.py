"""What can go wrong in the parser."""

__all__ = ["ParserError", "ParserWarning"]


class ParserError(ValueError):
    """Training data, options or a call that cannot work; the message says what to do."""


class ParserWarning(UserWarning):
    """The parser can do what it is asked, but hardly well: the message says why."""

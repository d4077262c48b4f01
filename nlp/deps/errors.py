"""What can go wrong in the parser."""

__all__ = ["ParserError"]


class ParserError(ValueError):
    """Training data, options or a call that cannot work; the message says what to do."""

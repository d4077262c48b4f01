"""Files that a command would both read and write."""

import os

__all__ = ["refuse_same"]


def refuse_same(output: str, *inputs: str | None) -> None:
    """Raise ParserError if what is to be written is one of the files that are read."""
    from nlp.deps.errors import ParserError

    for given in inputs:
        if given is not None and os.path.exists(output) and os.path.exists(given) and os.path.samefile(output, given):
            raise ParserError(f"{output}: is also read from, and would be lost; give another name to write to")

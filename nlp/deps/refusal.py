"""Bad input on the command line: one line on standard error and exit code 2, never a traceback."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import click

__all__ = ["refuse_same", "refusing"]


def refusing(command: Callable[..., None]) -> Callable[..., None]:
    """Turn the errors that input can cause into one line; others are bugs, and show themselves."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        from nlp.conll import ConllError
        from nlp.deps.errors import ParserError
        from nlp.deps.model_file import ModelFileError
        from nlp.features import FeatureError, TemplateError

        try:
            command(*arguments, **options)
        except (ConllError, ParserError, ModelFileError, TemplateError, FeatureError) as error:
            _refuse(command.__name__, str(error))
        except BrokenPipeError:  # whoever reads the output has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except OSError as error:
            _refuse(command.__name__, f"{error.filename or 'a file'}: {error.strerror or error}")

    return run


def refuse_same(output: str, *inputs: str | None) -> None:
    """Raise ParserError if what is to be written is one of the files that are read."""
    from nlp.deps.errors import ParserError

    for given in inputs:
        if given is not None and os.path.exists(output) and os.path.exists(given) and os.path.samefile(output, given):
            raise ParserError(f"{output}: is also read from, and would be lost; give another name to write to")


def _refuse(name: str, message: str) -> None:
    click.echo(f"tacana {name}: " + " ".join(message.split()), err=True)
    sys.exit(2)

"""Bad input on the command line: one line on standard error and exit code 2, never a traceback."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import click

__all__ = ["refusing"]


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
        except OSError as error:
            _refuse(command.__name__, f"{error.filename or 'a file'}: {error.strerror or error}")

    return run


def _refuse(name: str, message: str) -> None:
    click.echo(f"tacana {name}: " + " ".join(message.split()), err=True)
    sys.exit(2)

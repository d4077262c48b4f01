"""What every command does when the world is not as it should be: one line on standard error, and an exit code.

2 for bad input, files and devices that fail; 1, without a word, when nobody reads the output any more; 130 after
Ctrl-C (by its exit code or, where Python has met the interrupt in code from a string, by the signal itself: a shell
says 130 of both).
Any other exception is a bug, and shows itself.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, NoReturn

import click

from pgm.shell.interrupts import watch_interrupts
from pgm.shell.standard_output import name_standard_output

__all__ = ["guarded", "on_interrupt"]

_HINT = "pgm.shell.hint"


def on_interrupt(hint: Callable[[], str]) -> None:
    """Let the running command say something of its own after Ctrl-C."""
    click.get_current_context().meta[_HINT] = hint


@contextmanager
def guarded(context: click.Context) -> Iterator[None]:
    """Run a command, and end it in order whatever happens."""
    name_standard_output()
    with watch_interrupts() as interrupts:
        try:
            yield
            _flush(sys.stdout)
        except (KeyboardInterrupt, Exception) as error:
            if interrupts.seen or isinstance(error, KeyboardInterrupt):
                _interrupted(context)
            _explain(_name(context), error)
        except SystemExit:
            if interrupts.seen:
                _interrupted(context)
            raise
        if interrupts.seen:
            _interrupted(context)


def _name(context: click.Context) -> str:
    return f"tacana {context.invoked_subcommand or ''}".rstrip()


def _interrupted(context: click.Context) -> NoReturn:
    hint = context.meta.get(_HINT, lambda: "interrupted")
    _end(_name(context), hint(), 130)


def _explain(name: str, error: BaseException) -> NoReturn:
    """End with what an exception means to a user, or raise it again."""
    if isinstance(error, click.UsageError) and not isinstance(error, click.exceptions.NoArgsIsHelpError):
        _end(name, f"{error.format_message().rstrip('.')}; {name} --help tells what there is", 2)
    if isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort):
        raise error
    if isinstance(error, BrokenPipeError):  # whoever reads the output has had enough
        _end(name, None, 1)
    if isinstance(error, OSError):
        _end(name, _of_os_error(error), 2)
    if isinstance(error, MemoryError):
        _end(name, "out of memory; give it more, or smaller input", 2)
    from autodiff.errors import InputError  # late: it brings NumPy, which a command may not need

    if isinstance(error, InputError):
        _end(name, str(error), 2)
    raise error


def _of_os_error(error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    more = "; is there room, and a limit on the size of files?" if error.errno in (errno.ENOSPC, errno.EFBIG) else ""
    return f"{'a file' if error.filename is None else error.filename}: {error.strerror}{more}"


def _end(name: str, message: str | None, code: int) -> NoReturn:
    """Say one line, if it can be said, and exit; nothing is left for Python to complain of at its end."""
    with suppress(OSError, ValueError):
        _flush(sys.stdout)
    if message is not None:
        with suppress(OSError, ValueError):
            click.echo(f"{name}: " + " ".join(message.split()), err=True)
    for stream in (sys.stdout, sys.stderr):
        try:
            _flush(stream)
        except (OSError, ValueError):
            _give_up(stream)
    sys.exit(code)


def _flush(stream: Any) -> None:
    if stream is not None:
        stream.flush()


def _give_up(stream: IO[Any]) -> None:
    """Let what a stream still holds go nowhere."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()

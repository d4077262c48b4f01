"""Ctrl-C that is never lost.

Python raises KeyboardInterrupt wherever it happens to be: within a compiled loop that makes a SystemError of it, or
within a callback whose exceptions are printed and ignored (of the compiler, or a `__del__`).  So the interrupt is
noted, and raised again, at once where it is known to be ignored and every second otherwise, until the command has
ended; but not while an earlier one is on its way out, for what cleans up then should come to its end.  Objects that it
left half made may complain when they are deleted: nobody wants to hear that.
"""

import atexit
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from attrs import define

__all__ = ["Interrupts", "watch_interrupts"]

_AGAIN, _SOON = 1.0, 0.001  # seconds


@define
class Interrupts:
    """Whether there has been an interrupt."""

    seen: bool = False


@contextmanager
def watch_interrupts() -> Iterator[Interrupts]:
    """Note Ctrl-C, and raise it until the block ends.

    Examples
    --------
    >>> with watch_interrupts() as interrupts:
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         pass
    >>> interrupts.seen
    True
    """
    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield interrupts  # somebody else sees to it, or ignores it on purpose
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupts.seen = True
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        if not _on_its_way():
            raise KeyboardInterrupt

    def ignored(unraisable: "sys.UnraisableHookArgs") -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        elif not interrupts.seen:
            hook(unraisable)

    hook, sys.unraisablehook = sys.unraisablehook, ignored
    alarm = signal.signal(signal.SIGALRM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
    # After the command, Python has only to clean up: then Ctrl-C ends it at once, without a word.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)
    try:
        yield interrupts
    finally:
        if interrupts.seen:
            _forget_frames()
            atexit.register(setattr, sys, "unraisablehook", _say_nothing)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = hook


def _forget_frames() -> None:
    """Delete what the frames hold that exceptions have left, while what that leads to is not printed."""
    error = sys.exc_info()[1]
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__


def _say_nothing(unraisable: object) -> None:
    """Ignore what cannot be raised while Python ends."""


def _on_its_way() -> bool:
    """Tell whether a KeyboardInterrupt is being handled, by a `finally` or the end of a `with`."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False

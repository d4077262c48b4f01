"""A progress bar on standard error: how far, how fast, how long it will take, and how it goes."""

import sys
import time
from types import TracebackType
from typing import Any

__all__ = ["Progress"]


class Progress:
    """Shown only if asked for and standard error is a terminal; costs nothing otherwise.

    Parameters
    ----------
    label : at its left
    total : number of sentences
    note : what else there is to know, at its right
    """

    def __init__(self, label: str, total: int, *, shown: bool, note: str = "") -> None:
        self._note, self._done, self._bar = note, 0, None
        self._started = time.monotonic()
        if shown and sys.stderr is not None and sys.stderr.isatty():
            import click

            bar: Any = click.progressbar(
                length=total, label=label, file=sys.stderr, show_pos=True, width=24, item_show_func=lambda text: text
            )
            self._bar = bar

    def advance(self, sentences: int, note: str = "") -> None:
        """Say that so many more are done, and how it goes."""
        if self._bar is not None:
            self._done += sentences
            speed = self._done / max(time.monotonic() - self._started, 1e-9)
            self._bar.update(sentences, ", ".join(filter(None, (f"{speed:.0f} sentences/s", note, self._note))))

    def __enter__(self) -> "Progress":
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, trace)

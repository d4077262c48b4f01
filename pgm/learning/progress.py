"""A progress bar on standard error: how far, how fast, how long it will take, and how it goes."""

import sys
from types import TracebackType
from typing import Any

__all__ = ["Progress"]


class Progress:
    """Shown only if asked for and standard error is a terminal; costs nothing otherwise.

    Parameters
    ----------
    label : at its left
    total : the number of examples
    note : what else there is to know, at its right
    """

    def __init__(self, label: str, total: int, *, shown: bool, note: str = "") -> None:
        self._note = note
        self._bar: Any = None
        if shown and sys.stderr is not None and sys.stderr.isatty():
            from tqdm import tqdm  # only needed here

            self._bar = tqdm(total=total, desc=label, file=sys.stderr, leave=False, unit=" examples", postfix=note)

    def advance(self, examples: int, note: str = "") -> None:
        """Say that this many more are done, and how it goes."""
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join(filter(None, (note, self._note))), refresh=False)
            self._bar.update(examples)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

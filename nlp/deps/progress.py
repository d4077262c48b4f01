"""A progress bar on standard error: how far, how fast, how long it will take."""

import sys
import time
from types import TracebackType

__all__ = ["Progress"]


class Progress:
    """Shown only if asked for and standard error is a terminal; costs nothing otherwise."""

    def __init__(self, label: str, total: int, *, shown: bool) -> None:
        self.label, self.total = label, total
        self.shown = shown and sys.stderr.isatty()
        self._started = self._last = time.monotonic()

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` are done; at most five times a second."""
        now = time.monotonic()
        if not self.shown or (now - self._last < 0.2 and done < total):
            return
        self._last = now
        speed = done / max(now - self._started, 1e-9)
        filled = int(30 * done / max(total, 1))
        left = (total - done) / max(speed, 1e-9)
        bar = "#" * filled + "." * (30 - filled)
        print(f"\r{self.label} [{bar}] {done}/{total}, {speed:.0f}/s, {left:.0f} s left ", end="", file=sys.stderr)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            print("\r" + " " * 90 + "\r", end="", file=sys.stderr)

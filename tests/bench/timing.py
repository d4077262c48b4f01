"""Timing on a shared machine: candidates take turns, and the best time of each is kept.

A single time says little here; a ratio of two times from the same turns says much.
"""

import time
from collections.abc import Callable
from typing import Any

__all__ = ["Table", "race"]


def race(candidates: dict[str, Callable[[], Any]], *, seconds: float = 1.0, turns: int = 200) -> dict[str, float]:
    """Return the best time of each candidate, in seconds a call.

    In a turn a candidate is called for about two milliseconds (at least once), so that a short one is measured with
    warm caches like a long one, and the mean of the turn counts.
    """
    for run in candidates.values():
        run()  # compiles, and fills the caches
    calls = {name: max(1, int(2e-3 / _time(run, 1))) for name, run in candidates.items()}
    best = dict.fromkeys(candidates, float("inf"))
    deadline = time.perf_counter() + seconds * len(candidates)
    for turn in range(turns):
        for name, run in candidates.items():
            best[name] = min(best[name], _time(run, calls[name]))
        if turn >= 2 and time.perf_counter() > deadline:
            break
    return best


def _time(run: Callable[[], Any], calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - started) / calls


class Table:
    """Rows of text, printed in columns."""

    def __init__(self, *columns: str) -> None:
        self.rows = [list(columns)]

    def add(self, *cells: object) -> None:
        self.rows.append([str(cell) for cell in cells])

    def __str__(self) -> str:
        widths = [max(len(row[i]) for row in self.rows) for i in range(len(self.rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in self.rows]
        return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms"

"""Warnings that point at the line of whoever called the package."""

import sys
import warnings

__all__ = ["warn"]

_INSIDE = ("pgm", "autodiff", "attr")


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line outside the package: Python then shows it once for each such line."""
    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)

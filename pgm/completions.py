"""Best assignments of factors from their max-product messages: what every factor has."""

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.array_types import Floats, Integers

if TYPE_CHECKING:
    from pgm.factor import Factor

__all__ = ["TIE", "completions"]


TIE = 1e-9
"""States whose scores differ by less, relative to the greatest number that went into them, may be tied."""


def completions(factor: "Factor", prepared: Any, incoming: Floats, known: Integers) -> tuple[Integers, int]:
    """Return a best assignment (F, D) of each factor that keeps to the states that are known (F, D), -1 for none.

    A state that is the only best one of its variable is that of every best assignment: all such are settled at once.
    Where there are ties one variable is settled at a time, and the others asked again.  The second is a factor for
    which nothing is possible, or -1.
    """
    known = known.copy()
    incoming = incoming.copy()
    edges = [slice(int(a), int(b)) for a, b in zip(factor.offsets[:-1], factor.offsets[1:], strict=True)]
    for d, edge in enumerate(edges):
        _clamp(incoming[:, edge], known[:, d])
    while (known < 0).any():
        scores = factor.max_messages(incoming.copy(), prepared)
        size = np.maximum(_largest(incoming), _largest(scores))
        scores = scores + incoming
        unsettled = known < 0
        for d, edge in enumerate(edges):
            part = scores[:, edge]
            best = part.argmax(axis=1)
            top = part.max(axis=1)
            if (top == -np.inf).any():
                return known, int(np.argmax(top == -np.inf))
            rivals = (part >= (top - TIE * np.maximum(1.0, size))[:, None]).sum(axis=1)
            clear = unsettled[:, d] & (rivals == 1)
            known[clear, d] = best[clear]
        # Where all that is left is tied:
        rows = np.flatnonzero(((known < 0) == unsettled).all(axis=1) & unsettled.any(axis=1))
        first = unsettled.argmax(axis=1)
        for row in rows.tolist():
            d = int(first[row])
            known[row, d] = int(scores[row, edges[d]].argmax())
        for d, edge in enumerate(edges):
            _clamp(incoming[:, edge], known[:, d])
    return known, -1


def _clamp(incoming: Floats, states: Integers) -> None:
    """Make all states but the known ones impossible, in place."""
    others = (np.arange(incoming.shape[1]) != states[:, None]) & (states >= 0)[:, None]
    incoming[others] = -np.inf


def _largest(values: Floats) -> Floats:
    """Return (F,): the greatest finite size of an entry of each row."""
    return np.abs(np.where(values == -np.inf, 0.0, values)).max(axis=1, initial=0.0)

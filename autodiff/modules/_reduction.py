"""How a loss makes one number of many."""

from typing import Literal, TypeAlias

from autodiff.errors import DomainError

__all__ = ["Reduction", "divisor"]

Reduction: TypeAlias = Literal["mean", "sum"]


def divisor(reduction: Reduction, count: int, owner: str) -> int:
    """Return what the sum of `count` losses is divided by.

    Examples
    --------
    >>> divisor("mean", 5, "SquaredError"), divisor("sum", 5, "SquaredError")
    (5, 1)
    """
    if reduction not in ("mean", "sum"):
        raise DomainError(f"{owner}: reduction must be 'mean' or 'sum', not {reduction!r}")
    if reduction == "mean" and count == 0:
        raise DomainError(f"{owner}: there is nothing to average; use reduction='sum' if the data may be empty")
    return count if reduction == "mean" else 1

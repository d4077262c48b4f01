"""Answers in the formats of the UAI competitions: MAR (marginals), PR (log10 of the partition function), MAP."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from autodiff.array_types import Floats
from autodiff.conversion import as_floats, as_integers
from autodiff.errors import DomainError
from pgm.files.tokens import AnyPath, Tokens, read_text, write_text

__all__ = [
    "format_map",
    "format_mar",
    "format_pr",
    "read_map",
    "read_mar",
    "read_pr",
    "write_map",
    "write_mar",
    "write_pr",
]


def format_mar(beliefs: Iterable[ArrayLike]) -> str:
    """Return marginals as `MAR`, the number of variables, and for each its number of states and their probabilities.

    Examples
    --------
    >>> format_mar([[0.25, 0.75], [1.0]])
    'MAR\\n2 2 0.25 0.75 1 1\\n'
    """
    rows = []
    for variable, belief in enumerate(beliefs):
        row = as_floats(belief, f"the beliefs of variable {variable}")
        if row.ndim != 1:
            raise DomainError(f"the beliefs of variable {variable} are (states,) numbers, not of shape {row.shape}")
        rows.append(row.tolist())
    parts = [" ".join([str(len(row)), *(f"{p:.12g}" for p in row)]) for row in rows]
    return "MAR\n" + " ".join([str(len(rows)), *parts]) + "\n"


def write_mar(beliefs: Iterable[ArrayLike], path: AnyPath) -> None:
    """Write marginals."""
    write_text(path, format_mar(beliefs))


def read_mar(path: AnyPath) -> list[Floats]:
    """Read marginals: an array for each variable.

    Raises
    ------
    FileFormatError
        If the file is malformed.
    """
    tokens = _answers(path, "MAR")
    result = []
    for variable in range(tokens.integer("the number of variables", high=tokens.left)):
        card = tokens.integer(f"the number of states of variable {variable}", low=1)
        result.append(tokens.numbers(card, f"{card} probabilities of variable {variable}"))
        if (result[-1] > 1.0 + 1e-6).any():
            tokens.fail(f"variable {variable} has a probability of {result[-1].max():g}", "at most 1")
    tokens.end("nothing after the last variable")
    return result


def format_pr(log_partition: float) -> str:
    """Return a log-partition (natural logarithm) as `PR` and its logarithm to base 10.

    Examples
    --------
    >>> format_pr(np.log(1000.0))
    'PR\\n3\\n'
    """
    value = float(as_floats(log_partition, "log_partition", shape=()))
    return f"PR\n{value / math.log(10.0):.12g}\n"


def write_pr(log_partition: float, path: AnyPath) -> None:
    """Write a log-partition (natural logarithm)."""
    write_text(path, format_pr(log_partition))


def read_pr(path: AnyPath) -> float:
    """Read a log-partition, and return its natural logarithm (the file has base 10).

    Raises
    ------
    FileFormatError
        If the file is malformed.
    """
    tokens = _answers(path, "PR")
    value = float(tokens.numbers(1, "log10 of the partition function", low=-np.inf)[0])
    tokens.end("nothing after one number")
    return value * math.log(10.0)


def format_map(assignment: Sequence[int] | NDArray[np.int64]) -> str:
    """Return an assignment as `MAP`, the number of variables and the state of each.

    Examples
    --------
    >>> format_map([0, 2, 1])
    'MAP\\n3 0 2 1\\n'
    """
    states = as_integers(assignment, "the states of an assignment")
    if states.ndim != 1:
        raise DomainError(f"an assignment is (variables,) state numbers, not of shape {states.shape}")
    return "MAP\n" + " ".join(map(str, [len(states), *states.tolist()])) + "\n"


def write_map(assignment: Sequence[int] | NDArray[np.int64], path: AnyPath) -> None:
    """Write an assignment."""
    write_text(path, format_map(assignment))


def read_map(path: AnyPath) -> NDArray[np.int64]:
    """Read an assignment (variables,).

    Raises
    ------
    FileFormatError
        If the file is malformed.
    """
    tokens = _answers(path, "MAP")
    count = tokens.integer("the number of variables")
    states = tokens.integers(count, f"the states of {count} variables")
    tokens.end(f"nothing after {count} states")
    return np.array(states, dtype=np.int64)


def _answers(path: AnyPath, kind: str) -> Tokens:
    tokens = Tokens(path, read_text(path))
    if (word := tokens.word(kind)) != kind:
        tokens.fail(repr(word[:40]), kind)
    return tokens

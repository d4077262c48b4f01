"""The laws of a semiring, checked on examples."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.conversion import as_count, as_floats, as_generator
from hypergraph.errors import SemiringAxiomError, WeightError
from hypergraph.semirings.base import Array, Semiring

__all__ = ["check_semiring"]


MOST_EXAMPLES = 50


def _check_examples(semiring: Semiring, examples: Any) -> Array:
    array = examples if semiring.dtype is object else as_floats(examples, "examples", WeightError)
    if (semiring.dtype is not object and np.shape(array)[1:] != semiring.shape) or not np.ndim(array):
        raise WeightError(
            f"examples for {semiring!r} have shape {np.shape(array)}; expected (count, *{semiring.shape})"
        )
    return array


def check_semiring(
    semiring: Semiring,
    examples: Array | None = None,
    *,
    commutative: bool = True,
    count: int = 8,
    seed: int | np.random.Generator = 0,
) -> None:
    """Try every law of a semiring on all triples of some values.

    Parameters
    ----------
    semiring : yours or ours
    examples : values to try, `(count, *shape)`; by default `semiring.examples`.  Zero and one are always added.
    commutative : whether ⊗ must commute as well (the outside pass needs it)

    Raises
    ------
    SemiringAxiomError
        Names the law that does not hold and the values on which it does not.

    Examples
    --------
    >>> from hypergraph.semirings import LogSemiring
    >>> check_semiring(LogSemiring())
    >>> class Wrong(LogSemiring):
    ...     one = 1.0
    >>> check_semiring(Wrong())
    Traceback (most recent call last):
    hypergraph.errors.SemiringAxiomError: Wrong() breaks x ⊗ 1̄ = x for x = 0.1257...: left side 1.1257..., ...
    """
    rng = as_generator(seed, "check_semiring: seed", WeightError)
    count = as_count(count, "check_semiring: count", WeightError)
    drawn = semiring.examples(rng, count) if examples is None else _check_examples(semiring, examples)
    if len(drawn) > MOST_EXAMPLES:
        raise WeightError(
            f"check_semiring tries all triples of {len(drawn)} examples; give at most {MOST_EXAMPLES} of them"
        )
    values = [*drawn, semiring.full(1, semiring.zero)[0], semiring.full(1, semiring.one)[0]]
    zero, one = values[-2:]
    plus, times = semiring.plus, semiring.times

    def law(name: str, left: Any, right: Any, **where: Any) -> None:
        if not semiring.close(left, right):
            at = ", ".join(f"{key} = {value}" for key, value in where.items())
            raise SemiringAxiomError(f"{semiring!r} breaks {name} for {at}: left side {left}, right side {right}")

    one_value: list[tuple[str, Callable[[Any], tuple[Any, Any]]]] = [
        ("x ⊕ 0̄ = x", lambda x: (plus(x, zero), x)),
        ("0̄ ⊕ x = x", lambda x: (plus(zero, x), x)),
        ("x ⊗ 1̄ = x", lambda x: (times(x, one), x)),
        ("1̄ ⊗ x = x", lambda x: (times(one, x), x)),
        ("x ⊗ 0̄ = 0̄", lambda x: (times(x, zero), zero)),
        ("0̄ ⊗ x = 0̄", lambda x: (times(zero, x), zero)),
    ]
    for x in values:
        for name, sides in one_value:
            law(name, *sides(x), x=x)
        for y in values:
            law("x ⊕ y = y ⊕ x", plus(x, y), plus(y, x), x=x, y=y)
            if commutative:
                law("x ⊗ y = y ⊗ x", times(x, y), times(y, x), x=x, y=y)
            for z in values:
                at = {"x": x, "y": y, "z": z}
                law("(x ⊕ y) ⊕ z = x ⊕ (y ⊕ z)", plus(plus(x, y), z), plus(x, plus(y, z)), **at)
                law("(x ⊗ y) ⊗ z = x ⊗ (y ⊗ z)", times(times(x, y), z), times(x, times(y, z)), **at)
                law("x ⊗ (y ⊕ z) = x ⊗ y ⊕ x ⊗ z", times(x, plus(y, z)), plus(times(x, y), times(x, z)), **at)
                law("(x ⊕ y) ⊗ z = x ⊗ z ⊕ y ⊗ z", times(plus(x, y), z), plus(times(x, z), times(y, z)), **at)

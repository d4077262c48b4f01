"""check_semiring finds what is broken: one semiring for each law, which breaks that law and names it."""

import numpy as np
import pytest

from hypergraph import SemiringAxiomError, check_semiring
from hypergraph.semirings import PythonSemiring, Real, Semiring


class WrongZero(Real):
    law = "x ⊕ 0̄ = x"
    zero = 1.0


class ZeroOnTheLeft(Real):
    law = "0̄ ⊕ x = x"

    def plus(self, left, right):
        return np.where(left == 0, 0.0, left + right)


class WrongOne(Real):
    law = "x ⊗ 1̄ = x"
    one = 2.0


class OneOnTheLeft(Real):
    law = "1̄ ⊗ x = x"

    def times(self, left, right):
        return np.where(left == 1, 1.0, left * right)


class ZeroOnTheRightIsIgnored(Real):
    law = "x ⊗ 0̄ = 0̄"

    def times(self, left, right):
        return np.where(right == 0, left, left * right)


class ZeroOnTheLeftIsIgnored(Real):
    law = "0̄ ⊗ x = 0̄"

    def times(self, left, right):
        return np.where(left == 0, right, left * right)


class FirstComeFirstServed(Real):
    law = "x ⊕ y = y ⊕ x"

    def plus(self, left, right):
        return np.where(left != 0, left, right)


class Strings(PythonSemiring):
    law = "x ⊗ y = y ⊗ x"
    zero, one = frozenset(), frozenset({""})

    def plus_values(self, left, right):
        return left | right

    def times_values(self, left, right):
        return frozenset(x + y for x in left for y in right)

    def lift_value(self, index, log_weight):
        return frozenset({"abcdefgh"[index]})


class Mean(Real):
    law = "(x ⊕ y) ⊕ z = x ⊕ (y ⊕ z)"

    def plus(self, left, right):
        return np.where(left == 0, right, np.where(right == 0, left, (left + right) / 2))


class Algebra(Semiring):
    """Vectors over 1, a, b with aa = b, bb = a, ab = ba = 0: bilinear, but (aa)b = a and a(ab) = 0."""

    law = "(x ⊗ y) ⊗ z = x ⊗ (y ⊗ z)"
    shape = (3,)
    zero, one = np.zeros(3), np.eye(3)[0]

    def plus(self, left, right):
        return left + right

    def times(self, left, right):
        product = left[..., :1] * right + right[..., :1] * left
        product[..., 0] = left[..., 0] * right[..., 0]
        product[..., 1] += left[..., 2] * right[..., 2]
        product[..., 2] += left[..., 1] * right[..., 1]
        return product

    def examples(self, rng, count):
        return rng.normal(size=(count, 3))


class Compounding(Real):
    law = "x ⊗ (y ⊕ z) = x ⊗ y ⊕ x ⊗ z"

    def plus(self, left, right):
        return left + right + left * right


class Maps(PythonSemiring):
    """Maps of {0, 1, 2} that keep 0, as (f(1), f(2)); ⊕ adds modulo 3, ⊗ applies the left one first."""

    law = "(x ⊕ y) ⊗ z = x ⊗ z ⊕ y ⊗ z"
    zero, one = (0, 0), (1, 2)

    def plus_values(self, left, right):
        return tuple((x + y) % 3 for x, y in zip(left, right, strict=True))

    def times_values(self, left, right):
        return tuple((0, *right)[x] for x in left)

    def lift_value(self, index, log_weight):
        return divmod(index, 3)


BROKEN = [
    WrongZero,
    ZeroOnTheLeft,
    WrongOne,
    OneOnTheLeft,
    ZeroOnTheRightIsIgnored,
    ZeroOnTheLeftIsIgnored,
    FirstComeFirstServed,
    Strings,
    Mean,
    Algebra,
    Compounding,
    Maps,
]


@pytest.mark.parametrize("kind", BROKEN)
def test_the_broken_law_is_named(kind):
    with pytest.raises(SemiringAxiomError) as caught:
        check_semiring(kind(), commutative=kind not in (Maps,))
    assert f"{kind.__name__}() breaks {kind.law} for x = " in str(caught.value)


def test_there_is_one_for_each_law():
    assert len({kind.law for kind in BROKEN}) == 12


def test_what_need_not_commute_passes():
    check_semiring(Strings(), commutative=False)


def test_values_can_be_given():
    class RightForSmallNumbers(Real):
        def plus(self, left, right):
            return np.minimum(np.add(left, right), 10.0)

    check_semiring(RightForSmallNumbers(), np.array([0.5, 1.0]))
    with pytest.raises(SemiringAxiomError):
        check_semiring(RightForSmallNumbers(), np.array([0.5, 30.0]))

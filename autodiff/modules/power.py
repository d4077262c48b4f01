"""Powers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from autodiff.arrays import Array, as_floats, check_broadcast, safe_product, unbroadcast
from autodiff.errors import DomainError
from autodiff.module import Backward, Module
from autodiff.modules._draws import away_from_zero

__all__ = ["Power"]


class Power(Module):
    """`x ** y` with broadcasting.

    An integer exponent (by its type: `2`, not `2.0`) is not differentiated, and allows any base but 0 to a
    negative power.  A real exponent is differentiated, and its base must not be negative; at base 0 its
    adjoint is 0.

    Examples
    --------
    >>> output, backward = Power().forward([-3.0, 2.0], 2)
    >>> output
    array([9., 4.])
    >>> backward(np.ones(2))
    (array([-6.,  4.]), None)
    """

    def forward(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Backward]:
        """Return `x ** y`."""
        base, exponent = as_floats(x), as_floats(y)
        check_broadcast("Power", base, exponent)
        integral = np.issubdtype(np.asarray(y).dtype, np.integer)
        if not integral and (base < 0).any():
            raise DomainError(f"Power: base {base.min()} is negative; give the exponent as integers, or clip the base")
        if (base == 0).any() and np.any((base == 0) & (exponent < 0)):
            raise DomainError("Power: base 0 cannot be raised to a negative exponent; mask it")
        result = np.power(base, exponent)

        def backward(adjoint: Array) -> tuple[Array, Array | None]:
            """Return `adjoint * y * x ** (y - 1)` and `adjoint * x ** y * log x`."""
            with np.errstate(divide="ignore"):
                slope = np.power(base, exponent - 1.0)
            of_base = unbroadcast(safe_product(adjoint, safe_product(exponent, slope)), base.shape)
            if integral:
                return of_base, None
            logarithm = np.log(np.where(base > 0, base, 1.0))
            return of_base, unbroadcast(safe_product(adjoint, result * logarithm), exponent.shape)

        return result, backward

    @classmethod
    def examples(cls, rng: np.random.Generator) -> Iterator[tuple[Module, tuple[Any, ...]]]:
        """Yield integer powers of anything, real powers of what is positive, and shapes that broadcast."""
        yield cls(), (rng.normal(size=(2, 3)), 2)
        yield cls(), (rng.normal(size=3), 0)
        yield cls(), (away_from_zero(rng, 2, 3), np.array([-1, 0, 3]))
        yield cls(), (rng.uniform(0.5, 2.0, size=(3, 1)), rng.normal(size=(2, 1, 4)))
        yield cls(), (rng.uniform(0.5, 2.0), 0.5)

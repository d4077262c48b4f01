"""One derivative, computed by a backward pass and by finite differences."""

import numpy as np
from attrs import frozen

from autodiff.arrays import Array
from autodiff.finite_differences import Direction

__all__ = ["DerivativeComparison", "Probe"]


@frozen(eq=False)
class Probe:
    """What is differentiated: the sum of the outputs' elements, weighted by these adjoints."""

    label: str
    adjoints: list[Array | None]

    def along(self, slopes: list[Array]) -> float:
        """Return the derivative of the sum, given those of the outputs."""
        return sum(
            float(np.sum(adjoint[adjoint != 0] * slope[adjoint != 0]))
            for adjoint, slope in zip(self.adjoints, slopes, strict=True)
            if adjoint is not None
        )


@frozen(eq=False)
class DerivativeComparison:
    """One derivative, computed in both ways."""

    point: list[Array]
    which: int
    direction: Direction
    probe: Probe
    gradient: Array
    analytic: float
    numeric: float

    @property
    def error(self) -> float:
        """The relative error, infinite if either derivative is not finite."""
        if not np.isfinite(self.analytic) or not np.isfinite(self.numeric):
            return float("inf")
        return abs(self.analytic - self.numeric) / max(1.0, abs(self.analytic), abs(self.numeric))

"""What a gradient check found."""

import math

from attrs import field, frozen

from autodiff.errors import GradientCheckError

__all__ = ["GradientReport", "Place", "subscript"]


@frozen
class Place:
    """Where two derivatives were compared.

    Attributes
    ----------
    input : "input 0", or "parameter 'weights'" of a circuit
    index : element of that input, None for a random direction
    output : "output 0[2, 1]", or "a random combination of the outputs"
    """

    input: str
    index: tuple[int, ...] | None
    output: str

    def __str__(self) -> str:
        element = " in a random direction" if self.index is None else subscript(self.index)
        return f"{self.output} by {self.input}{element}"


def subscript(index: tuple[int, ...] | None) -> str:
    """Return an index as it is written after a name; nothing for that of a scalar."""
    return f"[{', '.join(map(str, index))}]" if index else ""


@frozen
class GradientReport:
    """The outcome of `check_gradients`.

    Attributes
    ----------
    passed : whether there are no problems and the worst error is within the tolerance
    worst_error : the largest `|analytic - numeric| / max(1, |analytic|, |numeric|)`
    where : the place of the worst error, None if nothing was compared
    analytic, numeric : the two derivatives at that place
    comparisons : how many pairs of derivatives were compared
    problems : breaches of the contract of `Module`, in words

    Examples
    --------
    >>> place = Place("input 0", (1,), "output 0[0]")
    >>> print(GradientReport("Square()", 1e-6, 2.0, place, -3.0, 3.0, comparisons=4))
    Square() FAILED the gradient check: worst error 2.0e+00, tolerance 1.0e-06, 4 derivatives compared
      worst at the derivative of output 0[0] by input 0[1]: backward says -3.0, finite differences say 3.0
    """

    module: str
    tolerance: float
    worst_error: float = 0.0
    where: Place | None = None
    analytic: float = math.nan
    numeric: float = math.nan
    comparisons: int = field(default=0, kw_only=True)
    problems: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def passed(self) -> bool:
        """Whether the module may be relied on, as far as this check can tell."""
        return not self.problems and self.worst_error <= self.tolerance

    def raise_if_failed(self) -> "GradientReport":
        """Return this report, or raise `GradientCheckError` with its text if the check failed."""
        if not self.passed:
            raise GradientCheckError(str(self))
        return self

    def __str__(self) -> str:
        verdict = "passed" if self.passed else "FAILED"
        lines = [
            f"{self.module} {verdict} the gradient check: worst error {self.worst_error:.1e}, "
            f"tolerance {self.tolerance:.1e}, {self.comparisons} derivatives compared"
        ]
        if self.where is not None:
            lines.append(
                f"  worst at the derivative of {self.where}: "
                f"backward says {self.analytic}, finite differences say {self.numeric}"
            )
        lines.extend(f"  problem: {problem}" for problem in self.problems)
        return "\n".join(lines)

"""The learning rates of past steps, kept so that the shrinkage of a weight is found in a few operations.

A weight that was not touched in the steps s, …, t-1 shrinks by the product of one factor a step, each of the form
(1 + η x)^±1, where x depends on the weight and η on the step.  So what is wanted is

    L(x; s, t) = Σ_{i=s}^{t-1} log(1 + η_i x)

for many x and s at once.  With a constant rate it is (t - s) log(1 + η x).  With a schedule, consecutive
steps whose rates lie within 10 % of a centre c form a *block*.
There, with v_i = η_i / c - 1 and y = c x / (1 + c x),

    log(1 + η_i x) = log(1 + c x) + log(1 + v_i y) = log(1 + c x) + Σ_k (-1)^(k+1) v_i^k y^k / k ,

and Σ_i v_i^k is a difference of cumulative sums.  |v y| ≤ 0.1, so twelve terms leave a relative error below
1e-14.  A block of equal rates needs no terms at all.  The cost for a weight is that of the blocks since its
last update (about 24 for each tenfold decay of the rate), never that of the steps.
"""

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

_TERMS = 12
_RADIUS = 0.1
# A difference of cumulative sums loses about `length` units in the last place: 4096 of them stay below 1e-12.
_LONGEST = 4096
_EXPONENTS = np.arange(1, _TERMS + 1)
_COEFFICIENTS = -((-1.0) ** _EXPONENTS) / _EXPONENTS


@define(eq=False)
class _Block:
    """Steps with rates near `centre`; `powers[k - 1, j]` sums v_i^k over the first j, None if all v are 0."""

    start: int
    centre: float
    length: int = 1
    powers: NDArray[np.float64] | None = None

    def accept(self, rate: float) -> bool:
        """Take one more step with this rate, or refuse it."""
        if rate == self.centre and self.powers is None:
            self.length += 1
            return True
        if self.powers is None and self.length > 1:
            return False  # keep long constant blocks free of terms
        if self.centre == 0 or abs(rate / self.centre - 1.0) > _RADIUS or self.length >= _LONGEST:
            return False
        if self.powers is None:
            self.powers = np.zeros((_TERMS, 16))
        elif self.powers.shape[1] <= self.length + 1:
            self.powers = np.concatenate([self.powers, np.zeros_like(self.powers)], axis=1)
        deviation = rate / self.centre - 1.0
        self.powers[:, self.length + 1] = self.powers[:, self.length] + deviation**_EXPONENTS
        self.length += 1
        return True

    def sum_log1p(self, scale: NDArray[np.float64], first: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return Σ log(1 + η_i x) over the block's steps from the `first`-th on."""
        shape = (-1,) + (1,) * (scale.ndim - 1)
        product = self.centre * scale
        total = np.log1p(product)
        total *= (self.length - first).astype(np.float64).reshape(shape)
        if self.powers is not None:
            if (first == first[0]).all():
                first = first[:1]  # mostly 0: the rows missed all of a past block
            ratio = product / (1.0 + product)
            series = np.zeros_like(total)
            for exponent in reversed(range(_TERMS)):
                sums = self.powers[exponent, self.length] - self.powers[exponent, first]
                series += (_COEFFICIENTS[exponent] * sums).reshape(shape)
                series *= ratio
            total += series
        return total


@define(eq=False)
class RateHistory:
    """The learning rates of all steps so far.

    Examples
    --------
    >>> history = RateHistory()
    >>> for rate in [0.5, 0.5, 0.4, 0.1]:
    ...     history.append(rate)
    >>> missed = history.sum_log1p(np.array([2.0, 2.0]), since=np.array([0, 3]))
    >>> np.exp(-missed) * [(1 + 0.5 * 2) ** 2 * (1 + 0.4 * 2) * (1 + 0.1 * 2), (1 + 0.1 * 2)]
    array([1., 1.])
    """

    steps: int = 0
    _totals: NDArray[np.float64] = field(factory=lambda: np.zeros(16), init=False)  # Σ η of the first steps
    _lost: float = field(default=0.0, init=False)  # what rounding has taken off the last of them (Neumaier)
    _blocks: list[_Block] = field(factory=list, init=False)
    # First step and rate of each run of steps with equal rates, and room for more runs.
    _starts: NDArray[np.int64] = field(factory=lambda: np.zeros(16, dtype=np.int64), init=False)
    _rates: NDArray[np.float64] = field(factory=lambda: np.zeros(16), init=False)
    _runs: int = field(default=0, init=False)

    def append(self, rate: float) -> None:
        """Note the learning rate of one more step."""
        if not (self._blocks and self._blocks[-1].accept(rate)):
            self._blocks.append(_Block(self.steps, rate))
        if not self._runs or self._rates[self._runs - 1] != rate:
            if self._runs == len(self._rates):
                self._starts = np.concatenate([self._starts, np.zeros_like(self._starts)])
                self._rates = np.concatenate([self._rates, np.zeros_like(self._rates)])
            self._starts[self._runs], self._rates[self._runs] = self.steps, rate
            self._runs += 1
        self._add_total(rate)
        self.steps += 1

    def sum_rates(self, since: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return Σ_{i ≥ since[r]} η_i for every row r.

        >>> history = RateHistory()
        >>> for rate in [0.5, 0.25]:
        ...     history.append(rate)
        >>> history.sum_rates(np.array([0, 1, 2]))
        array([0.75, 0.25, 0.  ])
        """
        return np.asarray(self._totals[self.steps] - self._totals[since])

    def _add_total(self, rate: float) -> None:
        if self.steps + 1 >= len(self._totals):
            self._totals = np.concatenate([self._totals, np.zeros_like(self._totals)])
        before = float(self._totals[self.steps])
        rate += self._lost
        self._totals[self.steps + 1] = before + rate
        self._lost = rate - (float(self._totals[self.steps + 1]) - before)

    def sum_log1p(self, scale: NDArray[np.float64], since: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return Σ_{i ≥ since[r]} log(1 + η_i scale[r]) for every row r.

        Parameters
        ----------
        scale : (rows, …) float64, with η x ≥ -1/2 for every rate η
        since : (rows,) number of the first step that counts
        """
        total = np.zeros(scale.shape)
        rows: slice | NDArray[np.int64] = slice(None)  # all of them, for as long as all missed something
        since = since.astype(np.int64)
        for block in reversed(self._blocks):
            missing = since < block.start + block.length
            if not missing.all():
                rows = np.flatnonzero(missing) if isinstance(rows, slice) else rows[missing]
                since = since[missing]
            if not since.size:
                break
            total[rows] += block.sum_log1p(scale[rows], np.maximum(since - block.start, 0))
        return total

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the history as run lengths, for saving."""
        starts, rates = self.runs()
        return {"rates": rates, "repeats": np.diff(starts, append=self.steps)}

    def runs(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return first step and rate of each run of steps with equal rates.

        >>> history = RateHistory()
        >>> for rate in [0.5, 0.5, 0.25]:
        ...     history.append(rate)
        >>> history.runs()
        (array([0, 2]), array([0.5 , 0.25]))
        """
        return self._starts[: self._runs], self._rates[: self._runs]

    @classmethod
    def from_arrays(cls, rates: NDArray[np.float64], repeats: NDArray[np.int64]) -> "RateHistory":
        """Return the history that `arrays` described, with the same blocks."""
        history = cls()
        for rate, repeat in zip(rates.tolist(), repeats.tolist(), strict=True):
            for _ in range(repeat):
                history.append(rate)
        return history

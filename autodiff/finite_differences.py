"""Central differences of fourth order, of functions of several arrays with several outputs.

A step is `step * sqrt(max(1, |x|))`: it grows with an element, so that rounding does not drown the
difference, but slower than it, because log-weights of 1000 bend as sharply as those of 1.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import frozen

from autodiff.arrays import Array

__all__ = ["Direction", "difference", "element_directions", "random_direction"]


@frozen(eq=False)
class Direction:
    """A way to move one argument: to `value + multiple * step * vector`; where that is 0, elements stay."""

    index: tuple[int, ...] | None
    vector: Array
    step: float

    def move(self, values: Array, multiple: float) -> Array:
        """Return the values moved by a multiple of the step."""
        moving = self.vector != 0
        return np.where(moving, np.where(moving, values, 0.0) + multiple * self.step * self.vector, values)

    def halves(self) -> "Iterator[Direction]":
        """Yield two directions, each with half of the elements that move in this one."""
        moving = np.argwhere(self.vector != 0)
        for part in np.array_split(moving, min(2, len(moving))):
            places = tuple(part.T)
            vector = np.zeros_like(self.vector)
            vector[places] = self.vector[places]
            if len(part) == 1:
                index = tuple(int(i) for i in part[0])
                size = abs(float(vector[index]))
                yield Direction(index, np.abs(vector) / size, self.step * size)
            else:
                yield Direction(None, vector, self.step)


def _scale(values: Any) -> Any:
    return np.sqrt(np.maximum(1.0, np.abs(values)))


def element_directions(values: Array, step: float) -> Iterator[Direction]:
    """Yield the direction of each finite element, with its own step."""
    for place in np.argwhere(np.isfinite(values)):
        index = tuple(int(i) for i in place)
        vector = np.zeros(values.shape)
        vector[index] = 1.0
        yield Direction(index, vector, step * float(_scale(values[index])))


def random_direction(values: Array, step: float, rng: np.random.Generator) -> Direction:
    """Return a direction in which every finite element moves, either way, in proportion to its step.

    Examples
    --------
    >>> direction = random_direction(np.array([1.0, -np.inf, 9.0]), 1e-4, np.random.default_rng(0))
    >>> np.abs(direction.vector)
    array([1., 0., 3.])
    """
    finite = np.isfinite(values)
    signs = np.where(rng.random(values.shape) < 0.5, -1.0, 1.0)
    return Direction(None, np.where(finite, _scale(np.where(finite, values, 0.0)) * signs, 0.0), step)


def difference(
    function: Callable[[list[Array]], list[Any]], point: list[Array], which: int, direction: Direction
) -> list[Array]:
    """Return the derivative of each output in a direction of argument `which`; NaN where one is not finite.

    Examples
    --------
    >>> direction = Direction(None, np.array([1.0, 0.0]), 1e-4)
    >>> difference(lambda point: [point[0] ** 2], [np.array([3.0, 5.0])], 0, direction)[0].round(9)
    array([6., 0.])
    """
    sides = []
    for multiple in (1.0, -1.0, 2.0, -2.0):
        moved = list(point)
        moved[which] = direction.move(point[which], multiple)
        sides.append(function(moved))
    with np.errstate(invalid="ignore"):
        return [
            np.asarray((8.0 * (ahead - behind) - (far_ahead - far_behind)) / (12.0 * direction.step))
            for ahead, behind, far_ahead, far_behind in zip(*sides, strict=True)
        ]
